"""Makes the trees that are measured: the same bytes for the same numbers, so that figures can be compared.

python benchmarks/trees.py yaml FOLDER [--files 10000] [--streaming 0.02]
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

SERVICE = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {name}
  namespace: {team}
  labels:
    app.kubernetes.io/name: {name}
    app.kubernetes.io/part-of: {team}
spec:
  replicas: {number}
  selector:
    matchLabels:
      app.kubernetes.io/name: {name}
  template:
    metadata:
      labels:
        app.kubernetes.io/name: {name}
    spec:
      containers:
        - name: web
          image: registry.example.com/{team}/{name}:1.{number}.0
          ports:
            - containerPort: 8080
          env:
            - name: DATABASE_URL
              valueFrom:
                secretKeyRef:
                  name: {name}
                  key: url
          resources:
            requests:
              cpu: 100m
              memory: 128Mi
          readinessProbe:
            httpGet:
              path: /healthz
              port: 8080
---
apiVersion: v1
kind: Service
metadata:
  name: {name}
  namespace: {team}
spec:
  selector:
    app.kubernetes.io/name: {name}
  ports:
    - port: 80
      targetPort: 8080
"""
PIPELINE = """\
name: build {name}
on:
  push:
    branches: [main]
    paths: ["{team}/{name}/**"]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: make -C {team}/{name} test
      - run: make -C {team}/{name} image TAG=1.{number}.0
"""
FLINK = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: {name}
  namespace: {team}
spec:
  image: registry.example.com/{team}/{name}:1.{number}.0
  flinkVersion: v1_18
  serviceAccount: flink
  flinkConfiguration:
    taskmanager.numberOfTaskSlots: "4"
    state.backend.type: rocksdb
    state.backend.incremental: "true"
    execution.checkpointing.interval: {number} min
    execution.checkpointing.timeout: 10 min
    execution.checkpointing.min-pause: 30 s
    execution.checkpointing.externalized-checkpoint-retention: RETAIN_ON_CANCELLATION
    state.checkpoints.dir: s3://{team}/{name}/checkpoints
    state.savepoints.dir: s3://{team}/{name}/savepoints
    high-availability.type: kubernetes
    high-availability.storageDir: s3://{team}/{name}/ha
    restart-strategy.type: exponential-delay
  podTemplate:
    spec:
      containers:
        - name: flink-main-container
          env:
            - name: KAFKA_BOOTSTRAP_SERVERS
              value: kafka-1:9092,kafka-2:9092,kafka-3:9092
  jobManager:
    resource:
      memory: 2048m
      cpu: 1
  taskManager:
    resource:
      memory: 4096m
      cpu: 2
  job:
    jarURI: local:///opt/flink/usrlib/{name}.jar
    args: ["--topic", "{name}", "--group", "{team}-{name}"]
    parallelism: 4
    upgradeMode: savepoint
    state: running
"""


def yaml_tree(folder: Path, files: int, streaming: float) -> int:
    """Write `files` YAML files, a share of them FlinkDeployments; returns their size in bytes."""
    chance = random.Random(20260101)
    every = round(1 / streaming) if streaming else 0
    total = 0
    for index in range(files):
        team, name, number = f"team-{index % 97:02}", f"service-{index:05}", chance.randint(1, 9)
        template = FLINK if every and index % every == 7 % every else PIPELINE if index % 5 == 0 else SERVICE * chance.randint(1, 3)
        text = template.format(team=team, name=name, number=number)
        path = folder / team / name / ("deployment.yaml" if template is not PIPELINE else "pipeline.yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        total += len(text)
    return total


def big_yaml(size: int) -> bytes:
    """One YAML text of about `size` bytes, all of it streaming configs."""
    parts = []
    length = 0
    index = 0
    while length < size:
        part = FLINK.format(team=f"team-{index % 97:02}", name=f"job-{index:05}", number=index % 9 + 1)
        parts.append(part)
        length += len(part) + 4
        index += 1
    return "---\n".join(parts).encode()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=["yaml"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--streaming", type=float, default=0.02)
    arguments = parser.parse_args()
    total = yaml_tree(arguments.folder, arguments.files, arguments.streaming)
    print(f"{arguments.files} files, {total / 1e6:.1f} MB in {arguments.folder}")


if __name__ == "__main__":
    main()
