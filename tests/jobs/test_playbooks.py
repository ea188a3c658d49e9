"""Variables of Ansible: what they say is in force in the templates of roles, where they say one thing only."""

from __future__ import annotations

from shoal.job import Job

from .conftest import Finder

TEMPLATE = """
process.roles=broker,controller
node.id={{ node_id }}
listeners=PLAINTEXT://:{{ kafka_port | default(9092) }}
log.dirs={{ kafka_log_dir }}
log.retention.hours={{ retention | int }}
transaction.state.log.min.isr={{ kafka_min_isr }}
num.partitions={{ partitions }}
num.io.threads={% if many %}8{% else %}4{% endif %}
"""
GROUP = """
kafka_data: /tmp
kafka_log_dir: "{{ kafka_data }}/kafka-logs"
retention: 24
kafka_min_isr: "{{ replicas | int - 1 }}"
partitions: 3
"""
PATH = "roles/kafka/templates/server.properties.j2"


def known(jobs: list[Job]) -> dict[str, str]:
    return {one.key: one.text for job in jobs for one in job.settings if one.known and one.sure == "default"}


def test_variables_are_filled_in(find: Finder) -> None:
    jobs = find({PATH: TEMPLATE, "group_vars/all.yml": GROUP}, kinds=("job", "cluster", "file"))
    assert known(jobs) == {
        "listeners": "PLAINTEXT://:9092",
        "log.dirs": "/tmp/kafka-logs",
        "log.retention.hours": "24",
        "num.partitions": "3",
    }
    assert any([member.path for member in job.members] == [PATH, "group_vars/all.yml"] for job in jobs)


def test_variables_of_a_play(find: Finder) -> None:
    play = "- hosts: kafka\n  vars:\n    kafka_log_dir: /var/lib/kafka\n  roles: [kafka]\n"
    assert known(find({PATH: TEMPLATE, "site.yml": play}, kinds=("file",)))["log.dirs"] == "/var/lib/kafka"


def test_what_is_said_twice_is_not_known(find: Finder) -> None:
    other = "kafka_log_dir: /data\nretention: 48\npartitions: 3\n"
    jobs = find({PATH: TEMPLATE, "group_vars/all.yml": GROUP, "roles/kafka/defaults/main.yml": other}, kinds=("file",))
    assert known(jobs) == {"listeners": "PLAINTEXT://:9092", "num.partitions": "3"}
