"""The order of resourceVersions, and of API versions.

resourceVersions are growing numbers of one cluster. Every API server uses numbers, by contract since Kubernetes 1.35;
other values can't be compared.
https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/5504-comparable-resource-version

API versions are ordered as the API server prefers them: v2, v1, v1beta2, v1beta1, v1alpha1, then all others by name.
https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority
"""

import re

_API_VERSION = re.compile(r"v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?")
_STAGES = {None: 0, "beta": 1, "alpha": 2}


def comparable(left: str, right: str) -> bool:
    return left.isdigit() and right.isdigit()


def older(left: str, right: str) -> bool:
    """Whether `left` is older than `right`; False if they can't be compared (the later arrival counts as newer)."""
    return comparable(left, right) and (len(left), left) < (len(right), right)


def newest(left: str, right: str) -> str:
    """The higher of two; `right`, the later arrival, if they can't be compared. '' is ignored."""
    return left if not right or older(right, left) else right


def api_version_priority(version: str) -> tuple[int, int, int, str]:
    """Sort key: the preferred version comes first."""
    found = _API_VERSION.fullmatch(version)
    if found is None:
        return 3, 0, 0, version
    major, stage, minor = found.groups()
    return _STAGES[stage], -int(major), -int(minor or 0), version
