"""CustomResourceDefinitions of others that the overlays use, from their own Go modules, which the Go module proxy keeps
and checks. [] without Go.
"""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import yaml

_ISTIO = "istio.io/api@v1.31.1"
_CERT_MANAGER = "github.com/cert-manager/cert-manager@v1.21.2"
Definition = dict[str, Any]


def istio() -> list[Definition]:
    """Gateways, VirtualServices and DestinationRules."""
    wanted = [f"{item}.networking.istio.io" for item in ("destinationrules", "gateways", "virtualservices")]
    found = _definitions(_ISTIO, "kubernetes/customresourcedefinitions.gen.yaml")
    return [definition for definition in found if definition["metadata"]["name"] in wanted]


def cert_manager() -> list[Definition]:
    """Certificates."""
    return _definitions(_CERT_MANAGER, "deploy/crds/cert-manager.io_certificates.yaml")


def _definitions(module: str, path: str) -> list[Definition]:
    if shutil.which("go") is None:
        return []
    command = ["go", "mod", "download", "-json", module]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, cwd="/")
    assert done.returncode == 0, done.stdout + done.stderr
    text = (Path(json.loads(done.stdout)["Dir"]) / path).read_text()
    return [document for document in yaml.safe_load_all(text) if document]
