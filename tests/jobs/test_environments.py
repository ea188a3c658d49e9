"""Overrides, overlays, values and targets: each environment has its own facts in force."""

from __future__ import annotations

from shoal.job import Job
from tests.jobs.conftest import Finder
from tests.jobs.test_finding import COMPOSE, PROGRAM

INTERVAL = "execution.checkpointing.interval"


def intervals(jobs: list[Job]) -> dict[str, str]:
    """Interval in force by environment, of jobs alone."""
    found = {}
    for job in jobs:
        setting = job.effective_anywhere("flink", INTERVAL)
        found[job.environment] = setting.text if setting else ""
    return found


def test_a_compose_override_replaces_the_variable_as_a_whole(find: Finder) -> None:
    override = """
        services:
          jobmanager:
            environment:
              FLINK_PROPERTIES: |
                execution.checkpointing.timeout: 20 min
    """
    jobs = find({"docker-compose.yml": COMPOSE, "docker-compose.override.yml": override}, kinds=("cluster",))
    assert len(jobs) == 1 and jobs[0].effective_anywhere("flink", INTERVAL) is None
    timeout = jobs[0].effective_anywhere("flink", "execution.checkpointing.timeout")
    assert timeout is not None and timeout.path == "docker-compose.override.yml"
    version = jobs[0].version("flink")
    assert version is not None and version.text == "1.20.1"


def test_a_variant_of_a_compose_file_is_an_environment(find: Finder) -> None:
    variant = """
        services:
          jobmanager:
            environment:
              FLINK_PROPERTIES: |
                execution.checkpointing.interval: 5 min
    """
    jobs = find({"orders.py": PROGRAM, "docker-compose.yml": COMPOSE, "docker-compose.prod.yml": variant}, kinds=("job",))
    assert intervals(jobs) == {"": "1 min", "prod": "5 min"}


def test_a_patch_of_a_resource_is_an_environment(find: Finder) -> None:
    base = """
        apiVersion: flink.apache.org/v1beta1
        kind: FlinkDeployment
        metadata:
          name: orders
        spec:
          image: registry.example/orders:3
          flinkVersion: v1_20
          flinkConfiguration:
            execution.checkpointing.interval: 1 min
            execution.checkpointing.dir: s3://lake/checkpoints
          job:
            jarURI: local:///opt/orders.jar
    """
    patch = """
        apiVersion: flink.apache.org/v1beta1
        kind: FlinkDeployment
        metadata:
          name: orders
        spec:
          flinkConfiguration:
            execution.checkpointing.interval: 10 min
    """
    jobs = find({"deploy/orders.yaml": base, "overlays/prod/patch.yaml": patch}, kinds=("job",))
    assert intervals(jobs) == {"": "1 min", "prod": "10 min"}
    prod = next(job for job in jobs if job.environment == "prod")
    assert prod.effective_anywhere("flink", "execution.checkpointing.dir") is not None
    assert prod.paths == ("deploy/orders.yaml", "overlays/prod/patch.yaml")


def test_what_stands_in_a_base_counts_by_itself_only_where_nothing_changes_it(find: Finder) -> None:
    patch = BASE.replace("1 min", "7 min").replace("image: registry.example/orders:3", "").replace("flinkVersion: v1_20", "")
    assert intervals(find({"base/orders.yaml": BASE}, kinds=("job",))) == {"": "1 min"}
    assert intervals(find({"base/orders.yaml": BASE, "prod/orders.yaml": patch}, kinds=("job",))) == {"prod": "7 min"}


def test_values_files_of_a_chart_are_environments(find: Finder) -> None:
    base = "flinkConfiguration:\n  execution.checkpointing.interval: 1 min\n  state.backend.type: rocksdb\n"
    prod = "flinkConfiguration:\n  execution.checkpointing.interval: 3 min\n"
    jobs = find({"chart/Chart.yaml": "name: x\n", "chart/values.yaml": base, "chart/values-prod.yaml": prod}, kinds=("cluster",))
    assert intervals(jobs) == {"": "1 min", "prod": "3 min"}
    backend = next(job for job in jobs if job.environment == "prod").effective_anywhere("flink", "state.backend.type")
    assert backend is not None and backend.text == "rocksdb"


def test_targets_of_a_bundle_are_environments(find: Finder) -> None:
    bundle = """
        bundle:
          name: orders
        resources:
          jobs:
            orders:
              max_concurrent_runs: 1
              tasks:
                - task_key: run
                  spark_python_task:
                    python_file: ./orders.py
        targets:
          prod:
            resources:
              jobs:
                orders:
                  max_concurrent_runs: 4
    """
    jobs = find({"databricks.yml": bundle}, kinds=("job",))
    found = {job.environment: [setting.text for setting in job.settings if setting.key == "job.max_concurrent_runs"] for job in jobs}
    assert found == {"": ["1"], "prod": ["4"]}


BASE = """
    apiVersion: flink.apache.org/v1beta1
    kind: FlinkDeployment
    metadata:
      name: orders
    spec:
      image: registry.example/orders:3
      flinkVersion: v1_20
      flinkConfiguration:
        execution.checkpointing.interval: 1 min
        execution.checkpointing.dir: s3://lake/checkpoints
      job:
        jarURI: local:///opt/orders.jar
"""


def test_patches_written_in_a_kustomization_make_one_environment(find: Finder) -> None:
    overlay = """
        resources: [../../base]
        patches:
          - patch: |-
              apiVersion: flink.apache.org/v1beta1
              kind: FlinkDeployment
              metadata:
                name: orders
              spec:
                flinkConfiguration:
                  execution.checkpointing.interval: 5 min
          - target:
              kind: FlinkDeployment
              name: orders
            patch: |-
              - op: replace
                path: /spec/flinkConfiguration/execution.checkpointing.dir
                value: s3://prod/checkpoints
    """
    jobs = find({"base/orders.yaml": BASE, "overlays/prod/kustomization.yaml": overlay}, kinds=("job",))
    assert intervals(jobs) == {"prod": "5 min"}
    (prod,) = [job for job in jobs if job.environment == "prod"]
    directory = prod.effective_anywhere("flink", "execution.checkpointing.dir")
    assert directory is not None and (directory.text, directory.path) == ("s3://prod/checkpoints", "overlays/prod/kustomization.yaml")


def test_a_patch_for_whatever_fits_a_pattern_is_no_environment(find: Finder) -> None:
    overlay = """
        patches:
          - target:
              kind: FlinkDeployment
              name: orders.*
            patch: |-
              - op: replace
                path: /spec/flinkConfiguration/execution.checkpointing.interval
                value: 5 min
    """
    jobs = find({"base/orders.yaml": BASE, "overlays/prod/kustomization.yaml": overlay})
    assert intervals(jobs) == {"": "1 min"}


def test_a_patch_is_for_the_nearest_resource_of_its_name(find: Finder) -> None:
    patch = BASE.replace("1 min", "7 min").replace("image: registry.example/orders:3", "").replace("flinkVersion: v1_20", "")
    jobs = find({"a/base/orders.yaml": BASE, "a/prod/orders.yaml": patch, "b/base/orders.yaml": BASE}, kinds=("job",))
    assert [(job.paths, job.environment) for job in jobs] == [
        (("a/base/orders.yaml", "a/prod/orders.yaml"), "prod"),
        (("b/base/orders.yaml",), ""),
    ]


TEMPLATE = """
    apiVersion: flink.apache.org/v1beta1
    kind: FlinkDeployment
    metadata:
      name: {{ .Release.Name }}-orders
    spec:
      image: registry.example/orders:3
      flinkVersion: {{ .Values.flink.version }}
      flinkConfiguration:
        execution.checkpointing.interval: {{ .Values.flink.checkpoints.interval | quote }}
        execution.checkpointing.timeout: "{{ .Values.flink.checkpoints.timeout | default "10 min" }}"
        execution.checkpointing.dir: s3://{{ .Values.bucket }}/checkpoints
        execution.checkpointing.min-pause: {{ include "orders.pause" . }}
        pipeline.max-parallelism: {{ .Values.flink.maxParallelism }}
      job:
        jarURI: local:///opt/orders.jar
"""
VALUES = """
    bucket: lake
    flink:
      version: v1_20
      maxParallelism: 1000000
      checkpoints:
        interval: 1 min
"""


def test_the_image_that_a_chart_fills_in_is_that_of_the_block(find: Finder) -> None:
    template = """
        apiVersion: apps/v1
        kind: StatefulSet
        metadata:
          name: kafka
        spec:
          template:
            spec:
              containers:
                - name: kafka
                  image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"
                  env:
                    - name: KAFKA_ADVERTISED_LISTENERS
                      value: PLAINTEXT://kafka:9092
    """
    values = "image:\n  repository: confluentinc/cp-kafka\n  tag: 7.6.1\nkafka:\n  replicas: 3\n"
    files = {"chart/Chart.yaml": "name: kafka\n", "chart/values.yaml": values, "chart/templates/kafka.yaml": template}
    (job,) = [job for job in find(files, kinds=("file",)) if "chart/templates/kafka.yaml" in job.paths and len(job.paths) > 1]
    (block,) = job.select("kafka", ("broker",))
    assert [(image.name, image.version, image.exact) for image in job.images(block)] == [("confluentinc/cp-kafka", "7.6.1", True)]


def test_the_values_of_a_chart_are_filled_into_its_templates(find: Finder) -> None:
    files = {
        "chart/Chart.yaml": "name: orders\n",
        "chart/values.yaml": VALUES,
        "chart/values-prod.yaml": "bucket: prod # of flink\nflink:\n  checkpoints:\n    interval: 5 min\n    timeout: 30 min\n",
        "chart/templates/orders.yaml": TEMPLATE,
    }
    jobs = {job.environment: job for job in find(files, kinds=("job",))}

    def known(environment: str) -> dict[str, str | None]:
        return {
            setting.key.removeprefix("execution.checkpointing."): setting.text if setting.known else None
            for setting in jobs[environment].settings
            if setting.key.startswith(("execution.", "pipeline."))
        }

    none = {"min-pause": None, "max-parallelism": None}  # a helper of the chart; a number that Helm writes as 1e+06
    assert {key.removeprefix("pipeline."): value for key, value in known("").items()} == {
        "interval": "1 min",
        "timeout": "10 min",
        "dir": "s3://lake/checkpoints",
        **none,
    }
    assert known("prod")["interval"] == "5 min" and known("prod")["timeout"] == "30 min"
    assert known("prod")["dir"] == "s3://prod/checkpoints"
    assert [member.path for member in jobs["prod"].members] == [
        "chart/templates/orders.yaml",
        "chart/values.yaml",
        "chart/values-prod.yaml",
    ]
    version = jobs["prod"].version("flink")
    assert version is not None and version.text == "1.20"
    interval = jobs["prod"].effective_anywhere("flink", INTERVAL)
    assert interval is not None and interval.sure == "default"  # an install may say otherwise


def test_values_that_nothing_sets_stay_unknown(find: Finder) -> None:
    files = {"chart/values.yaml": "flink:\n  checkpoints: {}\n", "chart/templates/orders.yaml": TEMPLATE}
    (job,) = find(files, kinds=("job",))
    assert {setting.key for setting in job.settings if setting.known and setting.key.startswith("execution.")} == {
        "execution.checkpointing.timeout"
    }


WORKLOAD = """
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: flink-jobmanager
    spec:
      template:
        spec:
          containers:
            - name: main
              image: flink:1.17.2
              args: [jobmanager]
              env:
                - name: FLINK_PROPERTIES
                  value: |-
                    execution.checkpointing.interval: 1 min
"""


def versions(jobs: list[Job]) -> dict[str, str]:
    """Flink's version by environment."""
    return {job.environment: version.text if (version := job.version("flink")) else "" for job in jobs}


def test_a_kustomization_changes_the_version_by_the_image(find: Finder) -> None:
    overlay = """
        apiVersion: kustomize.config.k8s.io/v1beta1
        kind: Kustomization
        resources: [../../base]
        images:
          - name: flink
            newTag: 1.20.1-java17
    """
    jobs = find({"base/jobmanager.yaml": WORKLOAD, "overlays/prod/kustomization.yaml": overlay})
    assert versions(jobs) == {"": "1.17.2", "prod": "1.20.1"}
    (prod,) = [job for job in jobs if job.environment == "prod"]
    version = prod.version("flink")
    assert version is not None and version.source.place.path == "overlays/prod/kustomization.yaml"
    assert intervals(jobs)["prod"] == "1 min"


def test_a_new_name_is_a_new_image_and_a_digest_says_no_version(find: Finder) -> None:
    def overlay(change: str) -> str:
        return f"resources: [../base/jobmanager.yaml]\nimages:\n  - {{name: flink, {change}}}\n"

    named = overlay("newName: mirror.example/apache/flink, newTag: 1.19.1")
    assert versions(find({"base/jobmanager.yaml": WORKLOAD, "prod/kustomization.yaml": named})) == {"": "1.17.2", "prod": "1.19.1"}
    own = overlay("newName: mirror.example/orders, newTag: 3.0.1")
    assert versions(find({"base/jobmanager.yaml": WORKLOAD, "prod/kustomization.yaml": own})) == {"": "1.17.2", "prod": ""}
    digest = overlay(f"digest: 'sha256:{'0' * 64}'")
    assert versions(find({"base/jobmanager.yaml": WORKLOAD, "prod/kustomization.yaml": digest})) == {"": "1.17.2", "prod": ""}


def test_a_kustomization_beside_the_resource_is_how_it_runs(find: Finder) -> None:
    here = "resources: [jobmanager.yaml]\nimages:\n  - {name: flink, newTag: 1.20.1}\n"
    assert versions(find({"base/jobmanager.yaml": WORKLOAD, "base/kustomization.yaml": here})) == {"": "1.20.1"}


def test_images_of_other_names_and_other_resources_stay(find: Finder) -> None:
    for overlay in (
        "resources: [../base]\nimages:\n  - {name: apache/flink, newTag: 1.20.1}\n",
        "resources: [../base]\nimages:\n  - {name: mirror.example/flink, newTag: 1.20.1}\n",
        "resources: [../other]\nimages:\n  - {name: flink, newTag: 1.20.1}\n",
    ):
        assert versions(find({"base/jobmanager.yaml": WORKLOAD, "prod/kustomization.yaml": overlay})) == {"": "1.17.2"}


def test_the_image_of_a_custom_resource_changes_where_kustomize_is_told_of_it(find: Finder) -> None:
    base = BASE.replace("registry.example/orders:3", "flink:1.17.2").replace("flinkVersion: v1_20", "mode: native")
    plain = "resources: [../base]\nimages:\n  - {name: flink, newTag: 1.20.1}\n"
    assert versions(find({"base/orders.yaml": base, "prod/kustomization.yaml": plain})) == {"": "1.17.2"}
    told = plain + "configurations: [images.yaml]\n"
    assert versions(find({"base/orders.yaml": base, "prod/kustomization.yaml": told})) == {"": "1.17.2", "prod": "1.20.1"}


def test_images_and_patches_of_one_kustomization_make_one_environment(find: Finder) -> None:
    base = BASE.replace("registry.example/orders:3", "flink:1.17.2").replace("flinkVersion: v1_20", "mode: native")
    overlay = """
        resources: [../base]
        configurations: [images.yaml]
        images:
          - {name: flink, newTag: 1.20.1}
        patches:
          - patch: |-
              apiVersion: flink.apache.org/v1beta1
              kind: FlinkDeployment
              metadata:
                name: orders
              spec:
                flinkConfiguration:
                  execution.checkpointing.interval: 5 min
    """
    jobs = find({"base/orders.yaml": base, "prod/kustomization.yaml": overlay})
    assert versions(jobs) == {"prod": "1.20.1"}
    assert intervals(jobs) == {"prod": "5 min"}
