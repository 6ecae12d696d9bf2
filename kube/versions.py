"""resourceVersions, as far as they may be compared: numbers of one cluster that grow.

True of every API server there is, and a contract since Kubernetes 1.35; of what is no number, nothing can be said.
https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/5504-comparable-resource-version
"""


def comparable(one: str, other: str) -> bool:
    return one.isdigit() and other.isdigit()


def older(one: str, other: str) -> bool:
    """Whether `one` comes before `other`; False where that can't be told (then what arrives later is taken for
    newer).
    """
    return comparable(one, other) and (len(one), one) < (len(other), other)


def newest(one: str, other: str) -> str:
    """The higher of two, the later (`other`) where they can't be compared; '' counts for none."""
    return one if not other or older(other, one) else other
