"""The exact objects of an install, in the order in which they are created: Namespace, what monitoring needs,
OperatorGroup, Subscription. Pure.

Also the form's notes on the namespace. A note that an error contradicts, or says better, is left out.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import yaml
from django.utils.translation import gettext as _

from kube.objects import KubeObject, mapping, name_of, namespace_of
from kube.reader import read
from kube.types.meta import Object
from operatorhub import olm
from operatorhub.bundle.package import Manifest
from operatorhub.install.choices import ALL, Choices, template
from operatorhub.install.conflicts import InstallConflict
from operatorhub.install.situation import Situation
from untrusted import json_bounds

MONITORED = "openshift.io/cluster-monitoring"
#: On a Subscription: what was made together with it, as JSON {kind: uid}, so that an undo removes exactly that.
MADE = "operator-console.dev/made-with"
#: Where Prometheus lives, by distribution; its ServiceAccount is prometheus-k8s in each.
_MONITORING = ("openshift-monitoring", "monitoring")


def monitoring_home(situation: Situation) -> str:
    """The namespace of the cluster's Prometheus, '' where there is none."""
    return next((name for name in _MONITORING if name in situation.namespaces), "")


def may_monitor(annotations: Mapping[str, str], choices: Choices, situation: Situation) -> bool:
    """Whether monitoring is offered: the author asks for it, there is one, and the namespace is new."""
    asked = annotations.get("operatorframework.io/cluster-monitoring", "").strip().lower() == "true"
    return asked and bool(monitoring_home(situation)) and is_new(choices.namespace, situation)


def is_new(namespace: str, situation: Situation) -> bool:
    """If the user can't list namespaces, one that can't be looked up is assumed to exist."""
    return bool(namespace) and namespace not in situation.namespaces and situation.knows("namespaces")


def objects(
    manifest: Manifest, annotations: Mapping[str, str], choices: Choices, situation: Situation
) -> tuple[KubeObject, ...]:
    """`annotations`: of the chosen channel's CSV."""
    found: list[KubeObject] = []
    namespace = choices.namespace
    if is_new(namespace, situation):
        monitored = choices.monitoring and may_monitor(annotations, choices, situation)
        found.append(_namespace(namespace, template(annotations), monitored))
        if monitored:
            found += _monitoring(namespace, monitoring_home(situation))
    if not situation.groups.get(namespace):
        spec: dict[str, Any] = {} if choices.mode == ALL else {"targetNamespaces": list(choices.targets)}
        meta = {"name": namespace, "namespace": namespace}
        found.append({"apiVersion": f"{olm.GROUP}/v1", "kind": "OperatorGroup", "metadata": meta, "spec": spec})
    found.append(_subscription(manifest, choices))
    return tuple(found)


def _namespace(name: str, wanted: Mapping[str, Any], monitored: bool) -> KubeObject:
    """From the author's template; only its labels and annotations apply to a Namespace."""
    meta: dict[str, Any] = {"name": name}
    suggested = read(wanted, Object).metadata
    labels = {**suggested.labels, MONITORED: "true"} if monitored else suggested.labels
    if labels:
        meta["labels"] = labels
    if suggested.annotations:
        meta["annotations"] = suggested.annotations
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": meta}


def _monitoring(namespace: str, home: str) -> list[KubeObject]:
    """What lets the cluster's Prometheus find the operator's metrics."""
    api, name = "rbac.authorization.k8s.io", f"{namespace}-prometheus"
    meta = {"name": name, "namespace": namespace}
    rules = [{"apiGroups": [""], "resources": ["services", "endpoints", "pods"], "verbs": ["get", "list", "watch"]}]
    subject = {"kind": "ServiceAccount", "name": "prometheus-k8s", "namespace": home}
    reference = {"apiGroup": api, "kind": "Role", "name": name}
    return [
        {"apiVersion": f"{api}/v1", "kind": "Role", "metadata": meta, "rules": rules},
        {
            "apiVersion": f"{api}/v1",
            "kind": "RoleBinding",
            "metadata": meta,
            "roleRef": reference,
            "subjects": [subject],
        },
    ]


def _subscription(manifest: Manifest, choices: Choices) -> KubeObject:
    spec: dict[str, Any] = {
        "channel": choices.channel,
        "name": manifest.name,
        "source": manifest.catalog,
        "sourceNamespace": manifest.namespace,
        "installPlanApproval": choices.approval,
    }
    if choices.version:
        spec["startingCSV"] = choices.version
    if choices.config.spec:
        spec["config"] = choices.config.spec
    meta = {"name": manifest.name, "namespace": choices.namespace}
    return {"apiVersion": f"{olm.GROUP}/{olm.VERSION}", "kind": "Subscription", "metadata": meta, "spec": spec}


def with_made(subscription: KubeObject, made: Mapping[str, str]) -> KubeObject:
    """The Subscription with the note of what was made for it; `made`: kind → uid."""
    if not made:
        return subscription
    meta = dict(subscription["metadata"])
    meta["annotations"] = {**mapping(meta.get("annotations")), MADE: json.dumps(dict(made), sort_keys=True)}
    return {**subscription, "metadata": meta}


def made_with(subscription: KubeObject) -> dict[str, str]:
    """kind → uid, from the note; {} where there is none or it makes no sense."""
    note = read(subscription, Object).metadata.annotations.get(MADE, "{}")
    try:
        found = json_bounds.loads(note)
    except ValueError:
        return {}
    return {str(kind): uid for kind, uid in mapping(found).items() if isinstance(uid, str)}


def as_yaml(objects: Iterable[KubeObject]) -> str:
    """All of them as one text."""
    return "---\n".join(yaml.safe_dump(item, sort_keys=False, allow_unicode=True) for item in objects)


def as_kubectl(objects: Iterable[KubeObject]) -> str:
    """A command that makes the same objects."""
    return f"kubectl create -f - <<'EOF'\n{as_yaml(objects)}EOF"


def title(obj: KubeObject) -> str:
    """How an object is called in sentences."""
    place = namespace_of(obj)
    return f"{obj['kind']} {place}/{name_of(obj)}" if place else f"{obj['kind']} {name_of(obj)}"


#: Conflicts that make further notes on the namespace pointless: it doesn't exist, its name is invalid, or it is being
#: deleted.
_NO_PLACE = frozenset({"no-namespace", "bad-namespace", "terminating"})
#: Conflicts that say what is with its OperatorGroup, or that none is made because nothing is installed there.
_NO_GROUP = frozenset({"groups", "group-mode", "subscribed", "name-taken", "invisible"})


def notes_of_place(
    situation: Situation, choices: Choices, conflicts: Iterable[InstallConflict], *, template: Mapping[str, Any]
) -> tuple[str, ...]:
    """`template`: a Namespace with the labels and annotations that the operator's author suggests."""
    keys = {conflict.key for conflict in conflicts}
    if not choices.namespace or keys & _NO_PLACE:
        return ()
    found = [*_existence_notes(situation, choices.namespace, template=template)]
    if not keys & _NO_GROUP:
        found += _group_notes(situation, choices.namespace)
    return tuple(found)


def _existence_notes(situation: Situation, namespace: str, *, template: Mapping[str, Any]) -> Iterator[str]:
    if is_new(namespace, situation):
        yield _("“%(name)s” doesn't exist and will be created.") % {"name": namespace}
        if template:
            yield _("The namespace gets the labels and annotations that the operator's author suggests.")
    elif namespace not in situation.namespaces:
        yield _("You don't have permission to list namespaces, so this namespace is assumed to exist.")
    else:
        yield _("“%(name)s” exists.") % {"name": namespace}
        labels = read(template, Object).metadata.labels
        if template and not (labels and labels.items() <= situation.labels.get(namespace, {}).items()):
            yield _("The labels that the author suggests aren't added; the namespace stays unchanged.")


def _group_notes(situation: Situation, namespace: str) -> Iterator[str]:
    groups = situation.groups.get(namespace, ())
    if groups:
        yield _("The existing OperatorGroup “%(group)s” is used.") % {"group": name_of(groups[0])}
    elif namespace in situation.namespaces and situation.knows("operatorgroups"):
        yield _("The namespace has no OperatorGroup yet, so one is created.")
