"""A part of the real cluster as a process."""

import os
from pathlib import Path

import pytest

from tools.realcluster.process import ClusterPart, RunningPart


def test_a_part_does_not_know_that_it_runs_in_ci(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With CI set, OLM's catalog operator panics where a service account is used for an install; that refused our
    landings.
    """
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("PASSED_ON", "yes")
    dump = tmp_path / "environment"
    command = ("/bin/sh", "-c", f"env > {dump}.part; mv {dump}.part {dump}; sleep 60")
    running = RunningPart(
        ClusterPart(name="says", command=command, ready=dump.exists, environment={"OWN": "1"}), tmp_path
    )
    try:
        running.wait_until_ready()
        lines = dump.read_text().splitlines()
    finally:
        running.terminate()
        running.end()
    assert "PASSED_ON=yes" in lines and "OWN=1" in lines
    assert not any(line.startswith("CI=") for line in lines)
    assert os.environ["CI"] == "true"
