"""Compares resourceVersions: growing numbers of one cluster.

Every API server uses numbers, by contract since Kubernetes 1.35; other values can't be compared.
https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/5504-comparable-resource-version
"""


def comparable(left: str, right: str) -> bool:
    return left.isdigit() and right.isdigit()


def older(left: str, right: str) -> bool:
    """Whether `left` is older than `right`; False if they can't be compared (the later arrival counts as newer)."""
    return comparable(left, right) and (len(left), left) < (len(right), right)


def newest(left: str, right: str) -> str:
    """The higher of two; `right`, the later arrival, if they can't be compared. '' is ignored."""
    return left if not right or older(right, left) else right
