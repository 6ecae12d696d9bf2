"""Objects that carry the attack inputs in every field that takes free text.

A field that holds one text gets all of them, one behind the other (`ALL`): where one of them breaks out, it is seen.
Lists and maps get each in an item of its own. `numbered` objects carry a part of them each (`PARTS`), so that places
that cut long texts off show all of them as well.
"""

import base64
import json
from collections.abc import Iterator
from typing import Any

from tests.attacks.texts import DEEP, FREE, KEYS, LINKS, MARKDOWN, MARKUP, PATTERNS

GROUP = "attacks.example.com"
ALL = "\n\n".join(FREE)
#: The same in parts that no page cuts off, and that fit where an API server has limits (1,024 bytes of an event's
#: message).
PARTS = ["\n".join(FREE[start : start + 9]) for start in range(0, len(FREE), 9)]
#: An annotation's value may be anything, all of them together 256 KiB.
ANNOTATIONS = {f"atk.example.com/n{number}": text for number, text in enumerate(FREE)}
#: ConfigMaps and Secrets take these as keys.
DATA = dict(zip(KEYS, FREE, strict=False)) | {f"k{number}": text for number, text in enumerate(FREE)}
SVG = (
    "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' onload='atk()'>{}<path d='M0"
    " 0'/></svg>"
)


def meta(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "annotations": ANNOTATIONS, **more}


def conditions(text: str) -> list[dict[str, Any]]:
    """As operators write them: whatever they like."""
    at = "2026-01-01T00:00:00Z"
    return [
        {"type": "Ready", "status": "False", "reason": "Attack", "message": text, "lastTransitionTime": at},
        *(
            {"type": item, "status": item, "reason": item, "message": item, "lastTransitionTime": at}
            for item in FREE
            if text == ALL
        ),
    ]


def schema() -> dict[str, Any]:
    """A schema with attack inputs in every text: names of fields, titles, descriptions, enumerations, defaults,
    examples, formats, patterns, rules.
    """
    field: dict[str, Any] = {}
    for number, text in enumerate(FREE):
        field[f"f{number}"] = {
            "type": "string",
            "title": text,
            "description": text,
            "default": text,
            "example": text,
            "enum": [text, "x"],
            "format": text,
        }
    for number, (pattern, _text) in enumerate(PATTERNS):
        field[f"pattern{number}"] = {"type": "string", "pattern": pattern, "description": "a pattern"}
    for name in (*KEYS, *(item for item in FREE if item.isprintable())):
        field[name] = {"type": "string", "description": name}
    field["map"] = {"type": "object", "additionalProperties": {"type": "string"}, "description": ALL}
    field["list"] = {"type": "array", "items": {"type": "string", "description": ALL}, "description": ALL}
    field["rules"] = {
        "type": "string",
        "description": ALL,
        "x-kubernetes-validations": [{"rule": "self != 'no'", "message": MARKUP[0] + MARKUP[1]}],
    }
    field["reference"] = {"type": "string", "description": "a Secret's name"}
    field["any"] = {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "description": ALL}
    status = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {
        "type": "object",
        "description": ALL,
        "properties": {
            "spec": {"type": "object", "title": ALL, "description": ALL, "properties": field},
            "status": status,
        },
    }


def definition() -> dict[str, Any]:
    columns = [
        {"name": text, "type": "string", "description": text, "jsonPath": f".spec.f{number}"}
        for number, text in enumerate(FREE)
        if text.strip() and text.isprintable()
    ]
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "deprecated": True,
        "deprecationWarning": '<img data-atk src=x onerror=atk()>"><script data-atk>atk()</script>',
        "additionalPrinterColumns": columns,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": schema()},
    }
    names = {
        "plural": "attacks",
        "singular": "attack",
        "kind": "Attack",
        "listKind": "AttackList",
        "categories": ["constructor"],
        "shortNames": ["proto"],
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": meta(f"attacks.{GROUP}"),
        "spec": {"group": GROUP, "scope": "Namespaced", "names": names, "versions": [version]},
    }


def attack(name: str, text: str) -> dict[str, Any]:
    """An instance. The first has every text in the map, in the list and in what no schema describes."""
    spec: dict[str, Any] = (
        {"map": {f"m{n}": item for n, item in enumerate(FREE)} | dict.fromkeys(FREE, "x"), "list": [*FREE]}
        if text == ALL
        else {}
    )
    spec["any"] = (
        {key: {"__proto__": {"atk": "x"}} for key in KEYS} | dict.fromkeys(FREE, "x") if text == ALL else {text: text}
    )
    status = {
        "phase": text,
        "state": text,
        "message": text,
        "conditions": conditions(text),
        "url": text,
        "links": [*LINKS],
    }
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "Attack",
        "metadata": meta(name) if text == ALL else {"name": name, "annotations": {"atk.example.com/n": text}},
        "spec": spec,
        "status": status,
    }


def config(kind: str, name: str) -> dict[str, Any]:
    """A ConfigMap or a Secret."""
    values: dict[str, Any] = {"data": DATA}
    if kind == "Secret":
        values = {
            "data": {key: base64.b64encode(text.encode()).decode() for key, text in DATA.items()},
            "type": "atk/<script data-atk>",
        }
    return {"apiVersion": "v1", "kind": kind, "metadata": meta(name), **values}


def pod(name: str) -> dict[str, Any]:
    """Not scheduled anywhere: nothing runs, and all of it is shown.

    Values of variables, commands and arguments may be anything.
    """
    container = {
        "name": "constructor",
        "image": "atk.example.com/x:1",
        "command": [*FREE],
        "args": [*FREE],
        "workingDir": ALL,
        "env": [{"name": f"N{n}", "value": text} for n, text in enumerate(FREE)],
    }
    spec = {"schedulerName": "nobody", "containers": [container], "nodeSelector": {"atk.example.com/none": "x"}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta(name), "spec": spec}


def deployment(name: str) -> dict[str, Any]:
    template = {**pod("x"), "metadata": {"labels": {"app": "atk"}, "annotations": ANNOTATIONS}}
    template = {"metadata": template["metadata"], "spec": template["spec"]}
    spec = {"replicas": 0, "selector": {"matchLabels": {"app": "atk"}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta(name), "spec": spec}


def event(namespace: str, name: str, text: str) -> dict[str, Any]:
    """A user who can create events can write any text about any object."""
    about = {"apiVersion": f"{GROUP}/v1", "kind": "Attack", "name": "full", "namespace": namespace, "fieldPath": text}
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": name},
        "involvedObject": about,
        "reason": text.splitlines()[0][:120],
        "message": text[:1000],
        "type": "Warning",
        "count": 3,
        "source": {"component": text[:60], "host": text[:60]},
        "firstTimestamp": "2026-01-01T00:00:00Z",
        "lastTimestamp": "2026-01-01T00:00:00Z",
    }


def roles() -> Iterator[dict[str, Any]]:
    """Names of roles may be anything but "." and ".." without "/" and "%"."""
    names = {item.replace("/", "").replace("%", "")[:250] for item in FREE}
    for name in sorted(item for item in names if item.isprintable() and ("<" in item or "'" in item)):
        rules = [{"apiGroups": [name], "resources": [name], "verbs": [name], "resourceNames": [name]}]
        yield {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": name}, "rules": rules}


def examples(text: str) -> str:
    return json.dumps([attack("from-example", item) for item in (FREE[::8] if text == ALL else (text,))])


def csv(name: str, text: str, number: int = 0) -> dict[str, Any]:
    """A ClusterServiceVersion. `text` stands in all its fields."""
    descriptors = (
        [
            {
                "path": f"f{n}",
                "displayName": item,
                "description": item,
                "x-descriptors": [item, f"urn:alm:descriptor:com.tectonic.ui:{item}"],
            }
            for n, item in enumerate(FREE)
        ]
        if text == ALL
        else [{"path": text, "displayName": text, "description": text}]
    )
    reference = {"path": "reference", "x-descriptors": ["urn:alm:descriptor:io.kubernetes:Secret"]}
    descriptors = [*descriptors, reference]
    owned = [
        {
            "name": f"attacks.{GROUP}",
            "version": "v1",
            "kind": "Attack",
            "displayName": text,
            "description": text,
            "specDescriptors": descriptors,
            "statusDescriptors": descriptors,
        }
    ]
    annotations = {
        "alm-examples": examples(text),
        "capabilities": text,
        "categories": text,
        "certified": text,
        "containerImage": text,
        "createdAt": text,
        "description": text,
        "repository": LINKS[number % len(LINKS)],
        "support": text,
        "operatorframework.io/suggested-namespace": text,
        "operators.operatorframework.io/internal-objects": json.dumps([text]),
        "operatorframework.io/initialization-resource": json.dumps(attack("initial", text)),
        "operators.openshift.io/infrastructure-features": json.dumps([text]),
        "operators.openshift.io/valid-subscription": json.dumps([text]),
        f"features.operators.openshift.io/{number}": text,
        "marketplace.openshift.io/action-text": text,
        "marketplace.openshift.io/remote-workflow": LINKS[number % len(LINKS)],
        "marketplace.openshift.io/support-workflow": LINKS[number % len(LINKS)],
        "console.openshift.io/plugins": json.dumps([text]),
    }
    icons = {"full": SVG.format(MARKUP[0])}.get(name, SVG.format(text))
    containers = [
        {
            "name": "x",
            "image": text.strip()[:200] or "x",
            "command": [text],
            "args": [text],
            "env": [{"name": "X", "value": text}],
        }
    ]
    template = {"metadata": {"labels": {"app": "x"}}, "spec": {"serviceAccountName": "x", "containers": containers}}
    install = {
        "deployments": [
            {"name": "x", "spec": {"replicas": 0, "selector": {"matchLabels": {"app": "x"}}, "template": template}}
        ],
        "clusterPermissions": [
            {"serviceAccountName": "x", "rules": [{"apiGroups": [text], "resources": [text], "verbs": [text]}]}
        ],
    }
    links = [{"name": text, "url": url} for url in LINKS]
    spec = {
        "displayName": text,
        "description": text if text != ALL else "\n\n".join((*MARKDOWN, *FREE)),
        "version": f"1.0.{number}",
        "maturity": text,
        "provider": {"name": text, "url": LINKS[number % len(LINKS)]},
        "links": links,
        "maintainers": [{"name": text, "email": url} for url in LINKS],
        "keywords": [*FREE] if text == ALL else [text],
        "minKubeVersion": "1.0.0",
        "icon": [{"base64data": base64.b64encode(icons.encode()).decode(), "mediatype": "text/html"}],
        "install": {"strategy": "deployment", "spec": install},
        "installModes": [{"type": "OwnNamespace", "supported": True}],
        "customresourcedefinitions": {"owned": owned},
        "relatedImages": [{"name": text, "image": text}],
    }
    return {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {"name": name, "annotations": annotations},
        "spec": spec,
    }


#: What no object can be called, in fields whose value the API server doesn't check.
NAMELESS = ("a/b", "..", "%2F", " ", "?x#y", "/")


def references(number: int, name: str, namespace: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Objects that refer to an object of this name, from every field for which an API server takes any text.

    `namespace`: where they are, the object. It is an owner of theirs as well, or garbage collection would remove them.
    """

    there = {key: namespace["metadata"][key] for key in ("name", "uid")}

    def referring(api_version: str, kind: str, **parts: Any) -> dict[str, Any]:
        owner = {"apiVersion": f"{GROUP}/v1", "kind": "Attack", "name": name, "uid": f"none-{number}"}
        annotations = {
            "olm.operatorNamespace": name,
            "olm.operatorGroup": name,
            "olm.targetNamespaces": name,
            "meta.helm.sh/release-name": name,
            "meta.helm.sh/release-namespace": name,
        }
        known = {"apiVersion": "v1", "kind": "Namespace", **there}
        made = {"name": f"refers{number}", "annotations": annotations, "ownerReferences": [owner, known]}
        return {"apiVersion": api_version, "kind": kind, "metadata": made, **parts}

    volumes = {
        "secret": {"secret": {"secretName": name}},
        "config": {"configMap": {"name": name}},
        "claim": {"persistentVolumeClaim": {"claimName": name}},
    }
    keys = {"secretKeyRef": {"name": name, "key": "x"}}, {"configMapKeyRef": {"name": name, "key": "x"}}
    container = {
        "name": "x",
        "image": "atk.example.com/x:1",
        "env": [{"name": f"N{index}", "valueFrom": key} for index, key in enumerate(keys)],
        "envFrom": [{"secretRef": {"name": name}}, {"configMapRef": {"name": name}}],
    }
    pod_spec = {
        "schedulerName": "none",
        "containers": [container],
        "imagePullSecrets": [{"name": name}],
        "volumes": [{"name": volume, **source} for volume, source in volumes.items()],
    }
    labels = {"matchLabels": {"app": f"refers{number}"}}
    template = {"metadata": {"labels": labels["matchLabels"]}, "spec": pod_spec}
    yield referring("v1", "Pod", spec=pod_spec)
    yield referring("apps/v1", "StatefulSet", spec={"selector": labels, "template": template, "replicas": 0})
    yield referring("v1", "ServiceAccount", secrets=[{"name": name}], imagePullSecrets=[{"name": name}])
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "volumeName": name}
    yield referring("v1", "PersistentVolumeClaim", spec=claim)
    yield referring(
        "rbac.authorization.k8s.io/v1",
        "RoleBinding",
        roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "x"},
        subjects=[{"kind": "ServiceAccount", "name": "x", "namespace": name}],
    )
    about = {"apiVersion": f"{GROUP}/v1", "kind": "Attack", "name": name, "uid": "x", "namespace": there["name"]}
    yield {**event("", f"refers{number}", name), "involvedObject": about}
    instance = referring(f"{GROUP}/v1", "Attack", spec={"f0": FREE[0], "reference": name})
    yield {**instance, "status": {"reference": name, "conditions": []}}
    operators = "operators.coreos.com/v1alpha1"
    subscription = {"name": name, "source": name, "sourceNamespace": name, "channel": name, "startingCSV": name}
    plan = {"name": name, "namespace": name, "kind": "InstallPlan", "apiVersion": operators, "uid": "x"}
    catalog_ref = {"name": name, "namespace": name, "kind": "CatalogSource", "apiVersion": operators}
    health = {"catalogSourceRef": catalog_ref, "healthy": False, "lastUpdated": "2026-01-01T00:00:00Z"}
    yield {
        **referring(operators, "Subscription", spec=subscription),
        "status": {
            "installedCSV": name,
            "currentCSV": name,
            "state": "AtLatestKnown",
            "installPlanRef": plan,
            "installplan": plan,
            "catalogHealth": [health],
            "lastUpdated": "2026-01-01T00:00:00Z",
        },
    }
    group = {"targetNamespaces": [name], "serviceAccountName": name}
    yield {
        **referring("operators.coreos.com/v1", "OperatorGroup", spec=group),
        "status": {"namespaces": [name], "lastUpdated": "2026-01-01T00:00:00Z"},
    }
    yield referring(operators, "CatalogSource", spec={"sourceType": "grpc", "image": "x", "secrets": [name]})
    csvs = {"approval": "Manual", "approved": False, "clusterServiceVersionNames": [name]}
    yield referring(operators, "InstallPlan", spec=csvs)


def deep() -> Iterator[dict[str, Any]]:
    """Objects whose annotations and data are read as YAML or JSON, and are deeper than any reader follows."""
    for number, text in enumerate(DEEP):
        operator = csv(f"deep{number}", "x")
        operator["metadata"]["annotations"] = dict.fromkeys(operator["metadata"]["annotations"], text)
        yield operator
        applied = {"kubectl.kubernetes.io/last-applied-configuration": text}
        meta = {"name": f"deep{number}", "annotations": applied}
        data = {"values.yaml": text, "values.json": text}
        yield {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data}
