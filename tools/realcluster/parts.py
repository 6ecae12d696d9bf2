"""The control plane's programs with their flags: etcd, kube-apiserver, controller manager, scheduler, kwok."""

from __future__ import annotations

import urllib.request
from datetime import UTC, datetime
from pathlib import Path

import yaml

from .build import Programs
from .layout import Layout
from .process import ClusterPart, listens

SERVICES = "10.96.0.0/16"
KWOK_NODE = "kwok"


def healthy(url: str) -> bool:
    """Whether it answers with 200."""
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def etcd(layout: Layout, programs: Programs) -> ClusterPart:
    client, peer = (f"http://127.0.0.1:{layout.ports[name]}" for name in ("etcd", "etcd-peer"))
    command = (
        str(programs.path("etcd")),
        f"--data-dir={layout.data / 'etcd'}",
        "--unsafe-no-fsync",
        # An InstallPlan that carries the Argo CD CRDs is over the default of 1.5 MB.
        "--max-request-bytes=16777216",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
        "--log-level=error",
    )
    return ClusterPart(name="etcd", command=command, ready=lambda: healthy(f"{client}/health"))


def apiserver(layout: Layout, programs: Programs) -> ClusterPart:
    pki = layout.pki
    command = (
        str(programs.path("kube-apiserver")),
        f"--etcd-servers=http://127.0.0.1:{layout.ports['etcd']}",
        "--bind-address=127.0.0.1",
        f"--secure-port={layout.ports['apiserver']}",
        f"--tls-cert-file={pki('apiserver.crt')}",
        f"--tls-private-key-file={pki('apiserver.key')}",
        f"--client-ca-file={pki('ca.crt')}",
        f"--token-auth-file={layout.data / 'tokens.csv'}",
        # Read again when it changes: providers of OpenID Connect are added to a cluster that runs.
        f"--authentication-config={layout.authentication}",
        "--authorization-mode=Node,RBAC",
        f"--service-cluster-ip-range={SERVICES}",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={pki('service-accounts.pub')}",
        f"--service-account-signing-key-file={pki('service-accounts.key')}",
        # The aggregation layer, for the package server.
        f"--requestheader-client-ca-file={pki('ca.crt')}",
        "--requestheader-allowed-names=front-proxy-client",
        "--requestheader-username-headers=X-Remote-User",
        "--requestheader-group-headers=X-Remote-Group",
        "--requestheader-extra-headers-prefix=X-Remote-Extra-",
        f"--proxy-client-cert-file={pki('front-proxy.crt')}",
        f"--proxy-client-key-file={pki('front-proxy.key')}",
        # Logs, exec and port-forward.
        f"--kubelet-client-certificate={pki('kubelet-client.crt')}",
        f"--kubelet-client-key={pki('kubelet-client.key')}",
        f"--kubelet-certificate-authority={pki('ca.crt')}",
        "--kubelet-preferred-address-types=InternalIP",
        "--allow-privileged",
        *programs.version_flags,
    )
    return ClusterPart(name="kube-apiserver", command=command, ready=lambda: layout.answers("/readyz"), stop_seconds=8)


def controller_manager(layout: Layout, programs: Programs) -> ClusterPart:
    kubeconfig = layout.data / "kube-controller-manager.kubeconfig"
    port = layout.ports["controller-manager"]
    command = (
        str(programs.path("kube-controller-manager")),
        f"--kubeconfig={kubeconfig}",
        f"--authentication-kubeconfig={kubeconfig}",
        f"--authorization-kubeconfig={kubeconfig}",
        *programs.version_flags,
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        "--leader-elect=false",
        "--use-service-account-credentials",
        f"--service-account-private-key-file={layout.pki('service-accounts.key')}",
        f"--root-ca-file={layout.pki('ca.crt')}",
        f"--cluster-signing-cert-file={layout.pki('ca.crt')}",
        f"--cluster-signing-key-file={layout.pki('ca.key')}",
        f"--service-cluster-ip-range={SERVICES}",
        "--allocate-node-cidrs=false",
        # Tests stop the API server, and it stalls on a busy machine: Nodes that couldn't report in that time aren't
        # dead.
        "--node-monitor-grace-period=600s",
        # The suites make and delete hundreds of namespaces; the defaults are for a cluster with more patience.
        "--kube-api-qps=500",
        "--kube-api-burst=1000",
    )
    return ClusterPart(name="kube-controller-manager", command=command, ready=lambda: listens(port))


def scheduler(layout: Layout, programs: Programs) -> ClusterPart:
    kubeconfig = layout.data / "kube-scheduler.kubeconfig"
    port = layout.ports["scheduler"]
    command = (
        str(programs.path("kube-scheduler")),
        f"--kubeconfig={kubeconfig}",
        f"--authentication-kubeconfig={kubeconfig}",
        f"--authorization-kubeconfig={kubeconfig}",
        *programs.version_flags,
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        "--leader-elect=false",
    )
    return ClusterPart(name="kube-scheduler", command=command, ready=lambda: listens(port))


def kwok(layout: Layout, programs: Programs) -> ClusterPart:
    """The node `kwok`, whose Pods run in name only. Its stages come from kwok's own module."""
    config = layout.data / "kwok.yaml"
    log = layout.data / "simulated.log"
    message = "This container is simulated by kwok: its Pod has a status, and no program runs."
    log.write_text(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%fZ} stdout F {message}\n")  # the format of a CRI log
    config.write_text(
        "\n---\n".join([*_stages(programs), *(yaml.safe_dump(stream) for stream in _streams(layout, log))])
    )
    port = layout.ports["kwok"]
    command = (
        str(programs.path("kwok")),
        f"--kubeconfig={layout.data / 'kwok.kubeconfig'}",
        f"--config={config}",
        "--manage-all-nodes=false",
        "--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake",
        "--node-ip=127.0.0.1",
        # Without it kwok 0.8 takes the Node's addresses away when it makes a Node ready for the second time (its stage
        # node-initialize writes an empty list).
        f"--node-name={KWOK_NODE}",
        f"--node-port={port}",
        f"--server-address=127.0.0.1:{port}",
        f"--tls-cert-file={layout.pki('kubelet.crt')}",
        f"--tls-private-key-file={layout.pki('kubelet.key')}",
        "--cidr=10.244.0.0/16",
        "--node-lease-duration-seconds=40",
    )
    return ClusterPart(name="kwok", command=command, ready=lambda: listens(port))


def _stages(programs: Programs) -> list[str]:
    return [path.read_text() for path in programs.data("kwok", "stages")]


def _streams(layout: Layout, log: Path) -> list[dict[str, object]]:
    """What logs, exec and port-forward of a simulated Pod give: a line that says so, a local shell, a page that says
    so.
    """
    version = {"apiVersion": "kwok.x-k8s.io/v1alpha1"}
    target = {"port": layout.ports["page"], "address": "127.0.0.1"}
    local = {"workDir": str(layout.data)}
    return [
        {**version, "kind": "ClusterLogs", "metadata": {"name": "all"}, "spec": {"logs": [{"logsFile": str(log)}]}},
        {**version, "kind": "ClusterExec", "metadata": {"name": "all"}, "spec": {"execs": [{"local": local}]}},
        {
            **version,
            "kind": "ClusterPortForward",
            "metadata": {"name": "all"},
            "spec": {"forwards": [{"target": target}]},
        },
    ]


def kwok_node() -> dict[str, object]:
    """The Node that kwok keeps alive, with room for a large cluster's Pods."""
    room = {"cpu": "256", "memory": "1Ti", "pods": "20000", "ephemeral-storage": "10Ti"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": KWOK_NODE,
            "annotations": {"kwok.x-k8s.io/node": "fake"},
            "labels": {
                "kubernetes.io/hostname": KWOK_NODE,
                "kubernetes.io/os": "linux",
                "kubernetes.io/arch": "amd64",
                "type": "kwok",
            },
        },
        "status": {"capacity": room, "allocatable": room},
    }
