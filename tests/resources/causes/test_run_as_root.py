"""Containers that must not run as root, and would."""

import pytest

from tests.resources.causes.objects import only, pod, waiting


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (
            ('container has runAsNonRoot and image will run as root (pod: "web_shop(1)", container: web)'),
            "web:1 runs as root",
        ),
        (
            ("container has runAsNonRoot and image has non-numeric user (app), cannot verify user is non-root"),
            "web:1 names its user instead of a number",
        ),
        ('container\'s runAsUser breaks non-root policy (pod: "web_shop(1)", container: web)', "runAsUser is 0"),
    ],
)
def test_it_works(message: str, why: str) -> None:
    cause = only("run_as_root", pod(waiting("CreateContainerConfigError", message)))
    assert cause.sentence == f"web can't start: runAsNonRoot is set, and {why}"
