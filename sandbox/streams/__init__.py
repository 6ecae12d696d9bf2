"""Streams from and to Pods: logs, exec and attach, port-forward, proxies."""

from __future__ import annotations

from ..runtime.node import Node


def register(node: Node) -> None:
    """Adds the routes."""


def unregister(node: Node) -> None:
    """Takes them away again: the kubelet is about to be started anew."""
