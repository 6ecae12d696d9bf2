"""The command line of ``python -m sandbox node``."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSettings:
    """The options of the command ``node``."""

    kubeconfig: Path
    name: str
    data: Path
    images: Path | None
    certificate: Path
    key: Path
    authority: Path
    port: int
    parent: int

    @classmethod
    def from_arguments(cls, given: argparse.Namespace) -> NodeSettings:
        """From the parsed arguments."""
        images = given.images.resolve() if given.images else None
        return cls(
            kubeconfig=given.kubeconfig,
            name=given.name,
            data=given.data.resolve(),
            images=images,
            certificate=given.tls_cert,
            key=given.tls_key,
            authority=given.client_ca,
            port=given.port,
            parent=given.parent,
        )


def add_arguments(node: argparse.ArgumentParser) -> None:
    """Adds the options of this command."""
    node.add_argument("--kubeconfig", type=Path, required=True, help="how to reach the cluster, as its administrator")
    node.add_argument("--name", required=True, help="of the Node")
    node.add_argument("--data", type=Path, required=True, help="folder for volumes and logs")
    node.add_argument("--tls-cert", type=Path, required=True, help="the kubelet's certificate, for 127.0.0.1")
    node.add_argument("--tls-key", type=Path, required=True)
    node.add_argument("--client-ca", type=Path, required=True, help="vouches for kube-apiserver's client certificate")
    node.add_argument("--port", type=int, default=0, help="of the kubelet's API; 0: any free one")
