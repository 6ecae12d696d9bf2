"""What the navigation shows, kept for seconds: of each person on each cluster, in this process."""

import hashlib

from django.core.cache import caches

from kube.client import ClusterClient


def key(subject: str, client: ClusterClient, part: str) -> str:
    """By whom and where; names of users have letters that no cache takes."""
    words = "\0".join((subject, client.host, client.who, part))
    return hashlib.sha256(words.encode()).hexdigest()


def get(name: str) -> object:
    """None for what was never put there, or is too old."""
    return caches["navigation"].get(name)


def put(name: str, value: object) -> None:
    caches["navigation"].set(name, value)


def forget() -> None:
    """The next page asks the cluster."""
    caches["navigation"].clear()
