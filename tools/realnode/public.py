"""What deploy/overlays/public-ingress relies on, in a node: cert-manager with a ClusterIssuer `letsencrypt`, here an
authority of the node's own, and Traefik in place of ingress-nginx.

Both from their own roles and definitions. Traefik reads the Ingress as ingress-nginx would, with the same annotations.
"""

from __future__ import annotations

import re
import time
from pathlib import Path

from .node import RealNode

_MANIFESTS = Path(__file__).resolve().parent / "manifests" / "public"
_READY_SECONDS = 300
#: What the template of cert-manager's roles takes from elsewhere.
_VALUES = {
    "{{ .Values.global.leaderElection.namespace }}": "kube-system",
    "- {{ . | quote }}": "- issuers.cert-manager.io/*\n    - clusterissuers.cert-manager.io/*",
}


def apply(node: RealNode) -> float:
    """Seconds until certificates are issued and Ingresses are served; PartFailed."""
    started = time.monotonic()
    definitions = str(node.programs.folders["cert-manager"] / "definitions")
    node.kubectl("apply", "--server-side", "-f", definitions)
    node.kubectl("wait", "--for=condition=Established", "-f", definitions)
    roles = node.layout.data / "roles"
    roles.mkdir()
    (template,) = node.programs.data("cert-manager", "roles")
    (roles / "cert-manager.yaml").write_text(rendered(template.read_text(encoding="utf-8")), encoding="utf-8")
    (role,) = node.programs.data("traefik", "roles")
    text = role.read_text(encoding="utf-8").replace("namespace: default", "namespace: ingress-nginx")
    (roles / "traefik.yaml").write_text(text, encoding="utf-8")
    node.kubectl("apply", "--server-side", "-f", str(roles), "-f", str(_MANIFESTS))
    limit = f"--timeout={_READY_SECONDS}s"
    for namespace, name in (("cert-manager", "cert-manager"), ("ingress-nginx", "traefik")):
        node.kubectl("-n", namespace, "rollout", "status", f"deployment/{name}", limit, seconds=_READY_SECONDS + 30)
    node.kubectl("wait", "--for=condition=Ready", "clusterissuer/letsencrypt", limit, seconds=_READY_SECONDS + 30)
    return time.monotonic() - started


def rendered(template: str) -> str:
    """The roles of cert-manager's chart with its default values and the names of an installation `cert-manager`."""
    for found, value in _VALUES.items():
        template = template.replace(found, value)
    # Comments, labels, and conditions that are true by default.
    template = re.sub(r"(?s){{-? ?/\*.*?\*/ ?-?}}", "", template)
    template = re.sub(r"(?m)^ *{{- ?(if|end|with|range|include \"labels\").*$", "", template)
    return re.sub(r"{{.*?}}", "cert-manager", template)
