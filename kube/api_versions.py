"""The order of API versions, as the API server prefers them: v2, v1, v1beta2, v1beta1, v1alpha1, then all others by
name.

https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority
"""

import re

_VERSION = re.compile(r"v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?")
_STAGES = {None: 0, "beta": 1, "alpha": 2}


def priority(version: str) -> tuple[int, int, int, str]:
    """Sort key: the preferred version comes first."""
    found = _VERSION.fullmatch(version)
    if found is None:
        return 3, 0, 0, version
    major, stage, minor = found.groups()
    return _STAGES[stage], -int(major), -int(minor or 0), version
