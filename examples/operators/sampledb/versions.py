"""Which releases there are, and from which one leads a way to which: one step at a time, never back. Pure functions.

The CRD says the same in a rule, so that a form refuses it at the field. Here it stands for the databases that were
changed before their status said which release they run.
"""

from __future__ import annotations

#: The release that follows each one, by engine. Both engines read the files of the release before, and of no other.
STEPS = {"redis": {"6.2": "7.2", "7.2": "8.0"}, "valkey": {"7.2": "8.0"}}


def refusal(engine: str, deployed: str, wanted: str) -> str:
    """Why a database that runs ``deployed`` can not go to ``wanted``; empty when it can, or is there."""
    following = STEPS.get(engine, {}).get(deployed)
    if wanted in (deployed, following):
        return ""
    if older(wanted, deployed):
        way = f"it can not go back to {wanted}: restore a backup of that release into a new database"
    elif following:
        way = f"set spec.version to {following} first, then to {wanted}"
    else:
        way = "there is no newer release"
    return f"the database runs {deployed}; {way}"


def older(version: str, other: str) -> bool:
    """Whether a release is older than the other one."""
    return _numbers(version) < _numbers(other)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
