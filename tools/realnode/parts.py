"""What runs on the node, with flags and configuration: the real cluster's control plane, containerd, kubelet and
kube-proxy.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace

import yaml

from tools.realcluster import parts
from tools.realcluster.build import Programs
from tools.realcluster.layout import Layout
from tools.realcluster.nodes import PYTHON
from tools.realcluster.process import ClusterPart, listens

from .keeper import ADDRESS, CONTAINERD, KUBELET
from .machine import Machine

NAME = "node"
POD_NETWORK = "10.244.0.0/24"
DNS_ADDRESS = "10.96.0.10"
_SOCKET = f"{CONTAINERD}/containerd.sock"


def _inside(machine: Machine, part: ClusterPart, *flags: str, ready: Callable[[], bool] = lambda: True) -> ClusterPart:
    """In the node; a later flag wins over the same one before it."""
    # Images are unpacked meanwhile.
    return replace(part, command=(*machine.enter, *part.command, *flags), ready=ready, seconds=300)


def relay(pid: int, *targets: str) -> ClusterPart:
    """Ports of the network of a process on this machine's loopback; ``targets`` as relay.py takes them."""
    command = (sys.executable, "-m", "tools.realnode.relay", str(pid), *targets)
    ports = [int(target.partition("=")[0]) for target in targets]
    return ClusterPart(name="relay", command=command, ready=lambda: all(map(listens, ports)), environment=PYTHON)


def registry(machine: Machine, layout: Layout, programs: Programs) -> ClusterPart:
    """Holds every image that is pushed to it, whatever registry its name begins with: see containerd's hosts.toml.

    Pods reach it at the node's address: OLM v1 pulls catalogs and bundles itself.
    """
    port = layout.ports["registry"]
    config = {
        "version": 0.1,
        "log": {"level": "warn"},
        "storage": {"filesystem": {"rootdirectory": str(layout.data / "registry")}},
        "http": {"addr": f":{port}"},
    }
    path = layout.data / "registry.yaml"
    path.write_text(yaml.safe_dump(config))
    command = (str(programs.path("registry")), "serve", str(path))
    # It sends traces to a collector on this machine by default.
    part = ClusterPart(
        name="registry", command=command, ready=lambda: True, environment={"OTEL_TRACES_EXPORTER": "none"}
    )
    return _inside(machine, part, ready=lambda: parts.healthy(f"http://127.0.0.1:{port}/v2/"))


def etcd(machine: Machine, layout: Layout, programs: Programs) -> ClusterPart:
    return _inside(machine, parts.etcd(layout, programs))


def apiserver(machine: Machine, layout: Layout, programs: Programs) -> ClusterPart:
    """Ready when it answers through the relay. Pods reach it at the node's address, by the Service `kubernetes`."""
    part = parts.apiserver(layout, programs)
    flags = ("--bind-address=0.0.0.0", f"--advertise-address={ADDRESS}")
    return _inside(machine, part, *flags, ready=part.ready)


def controller_manager(machine: Machine, layout: Layout, programs: Programs) -> ClusterPart:
    # Kubernetes' default; the real cluster's nodes have no kubelet that could stop.
    return _inside(machine, parts.controller_manager(layout, programs), "--node-monitor-grace-period=50s")


def scheduler(machine: Machine, layout: Layout, programs: Programs) -> ClusterPart:
    return _inside(machine, parts.scheduler(layout, programs))


def containerd(machine: Machine, layout: Layout) -> ClusterPart:
    network = {
        "cniVersion": "0.4.0",
        "name": "bridge",
        "plugins": [
            {
                "type": "bridge",
                "bridge": "cni0",
                "isGateway": True,
                "ipMasq": True,
                "hairpinMode": True,
                "ipam": {
                    "type": "host-local",
                    "dataDir": "/run/cni",
                    "ranges": [[{"subnet": POD_NETWORK}]],
                    "routes": [{"dst": "0.0.0.0/0"}],
                },
            },
            {"type": "portmap", "capabilities": {"portMappings": True}},
        ],
    }
    folder = layout.data / "cni"
    folder.mkdir()
    (folder / "10-bridge.conflist").write_text(json.dumps(network, indent=1))
    hosts = layout.data / "hosts" / "_default"
    hosts.mkdir(parents=True)
    # Asked first, whatever registry is named. containerd 1.6 doesn't take `server` alone.
    (hosts / "hosts.toml").write_text(f'[host."http://127.0.0.1:{layout.ports["registry"]}"]\n')
    path = layout.data / "containerd.toml"
    path.write_text(f"""version = 2
root = "{layout.data / "containerd"}"
state = "{CONTAINERD}"
[grpc]
  address = "{_SOCKET}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "registry.k8s.io/pause:3.10"
  # Without CAP_SYS_RESOURCE runc ends with "can't get final child's PID from pipe: EOF".
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "{folder}"
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "{hosts.parent}"
""")
    part = ClusterPart(name="containerd", command=("containerd", "--config", str(path)), ready=lambda: True)
    return _inside(machine, part, ready=lambda: machine.run("ctr", "version", seconds=20).returncode == 0)


def kubelet(machine: Machine, layout: Layout, programs: Programs) -> ClusterPart:
    kubeconfig = layout.add_client("node", f"system:node:{NAME}", "system:nodes")
    # Logs, exec and port-forward: the API server checks this certificate.
    certificate, key = layout.authority.issue("node-server", f"system:node:{NAME}", hosts=(NAME, ADDRESS))
    resolv = layout.data / "resolv.conf"
    resolv.write_text("# Nothing outside of the cluster is reached from here.\n")
    config = {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "address": "0.0.0.0",  # noqa: S104 - of the node's own network namespace
        "authentication": {
            "anonymous": {"enabled": False},
            "webhook": {"enabled": True},
            "x509": {"clientCAFile": layout.pki("ca.crt")},
        },
        "authorization": {"mode": "Webhook"},
        "cgroupDriver": "cgroupfs",
        "cgroupRoot": f"/{machine.name}",
        # From Kubernetes 1.35 on it refuses control groups of version 1 by default.
        "failCgroupV1": False,
        "failSwapOn": False,
        # The tests create a hundred broken Pods beside the others.
        "maxPods": 200,
        "clusterDNS": [DNS_ADDRESS],
        "clusterDomain": "cluster.local",
        "containerRuntimeEndpoint": f"unix://{_SOCKET}",
        "evictionHard": {"memory.available": "50Mi", "nodefs.available": "1%", "imagefs.available": "1%"},
        # Images that were imported can't be pulled again.
        "imageGCHighThresholdPercent": 100,
        "resolvConf": str(resolv),
        "tlsCertFile": str(certificate),
        "tlsPrivateKeyFile": str(key),
        "volumePluginDir": f"{KUBELET}/volume-plugins",
    }
    path = layout.data / "kubelet.yaml"
    path.write_text(yaml.safe_dump(config))
    command = (
        str(programs.path("kubelet")),
        f"--config={path}",
        f"--kubeconfig={kubeconfig}",
        f"--root-dir={KUBELET}",
        f"--hostname-override={NAME}",
        f"--node-ip={ADDRESS}",
    )
    return _inside(machine, ClusterPart(name="kubelet", command=command, ready=lambda: True))


def kube_proxy(machine: Machine, layout: Layout, programs: Programs) -> ClusterPart:
    config = {
        "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
        "kind": "KubeProxyConfiguration",
        "mode": "iptables",
        "clusterCIDR": POD_NETWORK,
        "clientConnection": {"kubeconfig": str(layout.add_client("kube-proxy", "system:kube-proxy"))},
        "conntrack": {"maxPerCore": 0, "min": 0},
        "hostnameOverride": NAME,
    }
    path = layout.data / "kube-proxy.yaml"
    path.write_text(yaml.safe_dump(config))
    return _inside(
        machine,
        ClusterPart(
            name="kube-proxy", command=(str(programs.path("kube-proxy")), f"--config={path}"), ready=lambda: True
        ),
    )
