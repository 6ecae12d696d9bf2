"""Makes sandbox/schema/builtin.json.gz: the schemas of the built-in kinds that the embedded cluster serves.

Source: what kube-apiserver publishes under /openapi/v3 (Kubernetes, Apache-2.0; the same documents as
api/openapi-spec/v3 of its repository, with the enumerations that only a running server adds). Run by hand against a
real kube-apiserver of the version that the embedded cluster speaks, when that version or sandbox/builtins.py changes:

    python tools/builtin_schemas.py KUBECONFIG

Only kinds in sandbox.builtins, and what they refer to, are kept. The file holds
``schemas`` (name → schema), ``kinds`` ("apps/v1/Deployment" → name) and ``parameters`` (action → query parameters).
"""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from sandbox.builtins import BUILTIN  # noqa: E402  (the folder of the repository must be on the path first)
from sandbox.resources import Resource  # noqa: E402

TARGET = ROOT / "sandbox" / "schema" / "builtin.json.gz"
META = "io.k8s.apimachinery.pkg.apis.meta.v1."
#: What every document refers to from its paths.
ALWAYS = (f"{META}DeleteOptions", f"{META}Patch", f"{META}Status", f"{META}ListMeta", f"{META}ObjectMeta")
_REF = re.compile(r'"#/components/schemas/([^"]+)"')
_GVK = "x-kubernetes-group-version-kind"


def get(kubeconfig: str, path: str) -> dict[str, Any]:
    """One document of the server."""
    command = ["kubectl", "--kubeconfig", kubeconfig, "get", "--raw", path]
    found: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return found


def wanted_kinds(resource: Resource) -> set[str]:
    """ "apps/v1/Deployment", its list and the kinds of its subresources."""
    kinds = {f"{resource.api_version}/{resource.kind}"}
    if "list" in resource.verbs:
        kinds.add(f"{resource.api_version}/{resource.collection_kind}")
    kinds |= {kind for _, kind, _ in resource.subresources}
    if resource.scale:
        kinds.add("autoscaling/v1/Scale")
    return kinds


def named(schemas: dict[str, Any]) -> dict[str, str]:
    """Names of schemas by "group/version/kind"."""
    found = {}
    for name, schema in schemas.items():
        for kind in schema.get(_GVK, ()) if len(schema.get(_GVK, ())) == 1 else ():
            prefix = f"{kind['group']}/" if kind["group"] else ""
            found[f"{prefix}{kind['version']}/{kind['kind']}"] = name
    return found


def closure(names: set[str], schemas: dict[str, Any]) -> dict[str, Any]:
    """The schemas and all that they refer to."""
    found: dict[str, Any] = {}
    open_ = set(names)
    while open_:
        name = open_.pop()
        found[name] = schemas[name]
        open_ |= set(_REF.findall(json.dumps(schemas[name]))) - set(found)
    return dict(sorted(found.items()))


def parameters(document: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Query parameters of each action, as Deployments have them."""
    collection = document["paths"]["/apis/apps/v1/namespaces/{namespace}/deployments"]
    item = document["paths"]["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]
    operations = [value for path in (collection, item) for value in path.values() if isinstance(value, dict)]
    found = {operation["x-kubernetes-action"]: operation.get("parameters", []) for operation in operations}
    found["always"] = [parameter for parameter in item["parameters"] if parameter["in"] == "query"]
    return found


def main() -> None:
    (kubeconfig,) = sys.argv[1:]
    paths = sorted({"api/v1" if not r.group else f"apis/{r.api_version}" for r in BUILTIN})
    documents = {path: get(kubeconfig, f"/openapi/v3/{path}") for path in paths}
    schemas: dict[str, Any] = {}
    for document in documents.values():
        schemas |= document["components"]["schemas"]
    for name in (f"{META}DeleteOptions", f"{META}WatchEvent"):
        schemas[name].pop(_GVK, None)  # one entry for each group of the server; openapi.py writes the document's own
    kinds = named(schemas)
    wanted = set().union(*(wanted_kinds(resource) for resource in BUILTIN))
    missing = sorted(kind for kind in wanted - set(kinds) if not kind.endswith("Options"))
    if missing:
        sys.exit(f"the server publishes no schema of {', '.join(missing)}")
    content = {
        "version": get(kubeconfig, "/version")["gitVersion"],
        "kinds": {kind: kinds[kind] for kind in sorted(wanted & set(kinds))},
        "parameters": parameters(documents["apis/apps/v1"]),
        "schemas": closure({kinds[kind] for kind in wanted & set(kinds)} | set(ALWAYS), schemas),
    }
    data = json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode()
    TARGET.write_bytes(gzip.compress(data, 9, mtime=0))
    print(f"{len(content['schemas'])} schemas, {len(data) // 1024} KiB, {TARGET.stat().st_size // 1024} KiB compressed")


if __name__ == "__main__":
    main()
