"""Two nodes: `kwok`, where Pods run in name only, and `local`, where our agent runs the programs that it knows as
processes.

A Pod with a container of a known image is sent to `local` by an admission webhook, so manifests need no nodeSelector.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from pathlib import Path

from .build import Programs
from .layout import Layout
from .parts import KWOK_NODE
from .process import ClusterPart, PartFailed, listens

ROOT = Path(__file__).resolve().parent.parent.parent
LOCAL_NODE = "local"
_MARK = "operator-console.dev/runs"
#: What programs of ours need to be started from anywhere.
PYTHON = {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
#: Images whose programs run: our operators', and the Argo CD operator, which is built here.
_IMAGES = ("operator-console.dev/", "quay.io/argoprojlabs/argocd-operator")


def images(layout: Layout, programs: Programs) -> Path:
    """The image map of the agent: our operators' own, but the real Argo CD operator instead of its simulation."""
    text = (ROOT / "examples" / "operators" / "images.toml").read_text()
    entries = text.split("[[image]]")[1:]
    ours = ["[[image]]" + entry for entry in entries if "argocd-operator" not in entry]
    # By its file: a Pod sees the programs that a command names, and of this repository the operators' packages only.
    starter = Path(__file__).with_name("argocd.py")
    command = json.dumps(["{python}", str(starter), str(programs.path("argocd-operator"))])
    ours.append(f'[[image]]\nmatch = "quay.io/argoprojlabs/argocd-operator*"\ncommand = {command}\n')
    path = layout.data / "images.toml"
    path.write_text("\n".join(ours))
    return path


def agent(layout: Layout, programs: Programs) -> ClusterPart:
    """The node `local`."""
    port = layout.ports["agent"]
    command = (
        sys.executable,
        "-m",
        "sandbox",
        "node",
        f"--kubeconfig={layout.data / 'agent.kubeconfig'}",
        f"--name={LOCAL_NODE}",
        f"--data={layout.data / 'agent'}",
        f"--images={images(layout, programs)}",
        f"--tls-cert={layout.pki('kubelet.crt')}",
        f"--tls-key={layout.pki('kubelet.key')}",
        f"--client-ca={layout.pki('ca.crt')}",
        f"--port={port}",
        f"--parent={os.getpid()}",
    )
    return ClusterPart(name="agent", command=command, ready=lambda: listens(port), environment=PYTHON, stop_seconds=8)


def page(layout: Layout) -> ClusterPart:
    """What answers behind a port-forward to a Pod of kwok's, and for the webhook of objects()."""
    port = layout.ports["page"]
    arguments = (str(port), layout.pki("kubelet.crt"), layout.pki("kubelet.key"), _MARK)
    command = (sys.executable, "-m", "tools.realcluster.page", *arguments)
    return ClusterPart(name="page", command=command, ready=lambda: listens(port), environment=PYTHON)


def objects(layout: Layout) -> list[dict[str, object]]:
    """What sends Pods of known images to `local`: a webhook that page.py answers. Not every version that the cluster
    can have serves MutatingAdmissionPolicies.
    """
    known = " || ".join(f"c.image.startsWith({json.dumps(image)})" for image in _IMAGES)
    authority = base64.b64encode(layout.authority.certificate.read_bytes()).decode()
    webhook = {
        "name": "programs-run-locally.operator-console.dev",
        "clientConfig": {"url": f"https://127.0.0.1:{layout.ports['page']}/", "caBundle": authority},
        "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}],
        "matchConditions": [
            {"name": "a-known-image", "expression": f"object.spec.containers.exists(c, {known})"},
            {
                "name": "not-yet-placed",
                "expression": f'!has(object.spec.nodeName) && !("{_MARK}" in object.spec.?nodeSelector.orValue({{}}))',
            },
        ],
        "failurePolicy": "Fail",
        "reinvocationPolicy": "IfNeeded",
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "timeoutSeconds": 30,
    }
    version = "admissionregistration.k8s.io/v1"
    metadata = {"name": "programs-run-locally"}
    return [
        {"apiVersion": version, "kind": "MutatingWebhookConfiguration", "metadata": metadata, "webhooks": [webhook]}
    ]


def ready(layout: Layout) -> bool:
    """Whether both nodes are."""
    try:
        _, found = layout.ask("GET", "/api/v1/nodes")
    except OSError:
        return False
    good = {
        node["metadata"]["name"]
        for node in (found or {}).get("items", [])
        for condition in node.get("status", {}).get("conditions", [])
        if (condition["type"], condition["status"]) == ("Ready", "True")
    }
    return {KWOK_NODE, LOCAL_NODE} <= good


def apply(layout: Layout, programs: Programs, objects: list[dict[str, object]]) -> None:
    """`kubectl apply --server-side` of all; PartFailed with what it says."""
    command = [str(programs.path("kubectl")), f"--kubeconfig={layout.kubeconfig}", "apply", "--server-side", "-f", "-"]
    items = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
    done = subprocess.run(command, input=items, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        raise PartFailed(f"kubectl apply failed: {done.stderr[-2000:]}")
