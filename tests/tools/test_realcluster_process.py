"""A part of the real cluster as a process."""

import os
from pathlib import Path

import pytest

from tools.realcluster.process import Part, Running


def test_a_part_does_not_know_that_it_runs_in_ci(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With CI set, OLM's catalog operator panics where a service account is used for an install; that refused our
    landings.
    """
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("PASSED_ON", "yes")
    environment_file = tmp_path / "said"
    command = (
        "/bin/sh",
        "-c",
        f"env > {environment_file}.part; mv {environment_file}.part {environment_file}; sleep 60",
    )
    running = Running(Part("says", command, environment_file.exists, {"OWN": "1"}), tmp_path)
    try:
        running.wait_until_ready()
        lines = environment_file.read_text().splitlines()
    finally:
        running.terminate()
        running.end()
    assert "PASSED_ON=yes" in lines and "OWN=1" in lines
    assert not any(line.startswith("CI=") for line in lines)
    assert os.environ["CI"] == "true"
