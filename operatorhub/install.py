"""An install, before and while it is made: the objects it takes, what speaks against them, and their creation in order.

OLM wants a Subscription in a namespace that has exactly one OperatorGroup, whose targets the operator's install modes allow.
https://olm.operatorframework.io/docs/concepts/crds/operatorgroup/
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import yaml
from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.errors import AlreadyExists, Forbidden, KubeError
from kube.objects import KubeObject, name_of, namespace_of
from operatorhub import olm
from operatorhub.csv import mapping, text
from operatorhub.package import Channel, Description, Manifest

ALL, OWN = "AllNamespaces", "OwnNamespace"
NEW = "+"
APPROVALS = ("Automatic", "Manual")
_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class Situation:
    """What the cluster has already: namespaces with their phases, OperatorGroups and Subscriptions by namespace."""

    namespaces: Mapping[str, str]
    groups: Mapping[str, tuple[KubeObject, ...]]
    subscriptions: tuple[olm.Subscription, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """What somebody chose. `errors` are by field: channel, version, mode, namespace, approval; `warnings` do not hold up."""

    package: str
    catalog: str
    catalog_namespace: str
    channel: str
    version: str
    mode: str
    namespace: str
    approval: str
    objects: tuple[KubeObject, ...]
    errors: Mapping[str, str]
    warnings: tuple[str, ...]

    @property
    def creates_namespace(self) -> bool:
        return any(one["kind"] == "Namespace" for one in self.objects)

    @property
    def yaml(self) -> str:
        return "---\n".join(yaml.safe_dump(one, sort_keys=False, allow_unicode=True) for one in self.objects)

    @property
    def kubectl(self) -> str:
        return f"kubectl create -f - <<'EOF'\n{self.yaml}EOF"


def look(client: ClusterClient) -> Situation:
    """Read the situation; what the user may not list is taken as absent, and the API server judges at the end."""

    def listed(find: Callable[[], list[KubeObject]]) -> list[KubeObject]:
        try:
            return find()
        except Forbidden:
            return []

    spaces = listed(lambda: client.list(client.find("", "v1", "namespaces")).items)
    groups: dict[str, tuple[KubeObject, ...]] = {}
    for one in listed(lambda: client.list(olm.type_of(client, "operatorgroups")).items):
        groups[namespace_of(one)] = (*groups.get(namespace_of(one), ()), one)
    subscriptions = listed(lambda: client.list(olm.type_of(client, olm.SUBSCRIPTIONS)).items)
    return Situation(
        {name_of(one): text(mapping(one.get("status")).get("phase")) for one in sorted(spaces, key=name_of)},
        groups,
        tuple(map(olm.subscription, subscriptions)),
    )


def modes(about: Description) -> tuple[str, ...]:
    """The modes that the form offers: all namespaces, or the operator's own."""
    return tuple(mode for mode in (ALL, OWN) if mode in about.modes)


def suggestion(about: Description, situation: Situation, mode: str, picked: str, package: str) -> str:
    """The namespace to begin with: the author's wish; for all namespaces one that has such a group; the picked one; the package's name."""
    if about.suggested_namespace and _LABEL.fullmatch(about.suggested_namespace):
        return about.suggested_namespace
    if mode == ALL:
        fitting = [
            name
            for name, groups in situation.groups.items()
            if len(groups) == 1 and olm.group_modes(groups[0], name) == ALL
        ]
        if fitting:
            return "operators" if "operators" in fitting else sorted(fitting)[0]
    elif picked:
        return picked
    name = re.sub(r"[^a-z0-9-]+", "-", package.lower())[:63].strip("-")
    return name or "operators"


def draft(
    manifest: Manifest,
    channel: Channel,
    about: Description,
    situation: Situation,
    *,
    version: str,
    mode: str,
    namespace: str,
    approval: str,
) -> Draft:
    """Put the choices together and look for what speaks against them."""
    errors: dict[str, str] = {}
    offered = modes(about)
    if version and version not in dict(channel.versions):
        errors["version"] = _("The channel %(channel)s has no version %(version)s. Choose one of the list.") % {
            "channel": channel.name,
            "version": version,
        }
    if mode not in offered:
        errors["mode"] = _("This operator can not be installed so. It supports: %(modes)s.") % {
            "modes": ", ".join(about.modes) or "–"
        }
    if approval not in APPROVALS:
        errors["approval"] = _("Choose automatic or manual.")
    if problem := _namespace_problem(manifest.name, namespace, situation):
        errors["namespace"] = problem
    elif "mode" not in errors:
        errors |= _group_problem(about, mode, namespace, situation) or _overlap_problem(
            manifest.name, mode, namespace, situation
        )
    return Draft(
        manifest.name, manifest.catalog, manifest.namespace, channel.name, version, mode, namespace, approval,
        _objects(manifest, channel, situation, version, mode, namespace, approval), errors,
        _warnings(manifest.name, namespace, approval, version, channel, situation),
    )  # fmt: skip


def _objects(
    manifest: Manifest, channel: Channel, situation: Situation, version: str, mode: str, namespace: str, approval: str
) -> tuple[KubeObject, ...]:
    found: list[KubeObject] = []
    if namespace not in situation.namespaces:
        found.append({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    if not situation.groups.get(namespace):
        spec: dict[str, Any] = {} if mode == ALL else {"targetNamespaces": [namespace]}
        meta = {"name": namespace, "namespace": namespace}
        found.append({"apiVersion": f"{olm.GROUP}/v1", "kind": "OperatorGroup", "metadata": meta, "spec": spec})
    spec = {
        "channel": channel.name,
        "name": manifest.name,
        "source": manifest.catalog,
        "sourceNamespace": manifest.namespace,
        "installPlanApproval": approval,
    }
    if version:
        spec["startingCSV"] = version
    meta = {"name": manifest.name, "namespace": namespace}
    found.append({"apiVersion": f"{olm.GROUP}/{olm.VERSION}", "kind": "Subscription", "metadata": meta, "spec": spec})
    return tuple(found)


def _namespace_problem(package: str, namespace: str, situation: Situation) -> str:
    if not namespace:
        return _("Choose a namespace, or type the name of a new one.")
    if not _LABEL.fullmatch(namespace):
        return _(
            "A namespace's name has lower-case letters, digits and dashes, begins and ends with a letter or digit, and has at most 63 characters."
        )
    if situation.namespaces.get(namespace) == "Terminating":
        return _("The namespace “%(name)s” is being deleted. Choose another one, or wait until it is gone.") % {
            "name": namespace
        }
    for one in situation.subscriptions:
        if one.namespace == namespace and one.package == package:
            return _(
                "This operator is already installed in “%(namespace)s”, by the Subscription “%(name)s”. Choose another namespace, or uninstall it there first."
            ) % {"namespace": namespace, "name": one.name}
        if one.namespace == namespace and one.name == package:
            return _(
                "“%(namespace)s” has a Subscription named “%(name)s” of another package, “%(package)s”. Choose another namespace."
            ) % {"namespace": namespace, "name": one.name, "package": one.package}
    return ""


def _group_problem(about: Description, mode: str, namespace: str, situation: Situation) -> dict[str, str]:
    """The namespace's OperatorGroup must be the only one and must agree with the mode."""
    groups = situation.groups.get(namespace, ())
    if len(groups) > 1:
        names = ", ".join(name_of(one) for one in groups)
        return {
            "namespace": _(
                "“%(namespace)s” has more than one OperatorGroup (%(names)s); OLM installs nothing there until only one is left. Choose another namespace."
            )
            % {"namespace": namespace, "names": names}
        }
    if not groups:
        return {}
    present = olm.group_modes(groups[0], namespace)
    words = {"group": name_of(groups[0]), "namespace": namespace, "present": present, "modes": ", ".join(about.modes)}
    if present not in about.modes:
        return {
            "namespace": _(
                "The OperatorGroup “%(group)s” of “%(namespace)s” installs for %(present)s, which this operator does not support (it supports: %(modes)s). Choose another namespace."
            )
            % words
        }
    if (present == ALL) != (mode == ALL):
        return {
            "mode": _(
                "The OperatorGroup “%(group)s” of “%(namespace)s” installs for %(present)s. Choose that mode, or another namespace."
            )
            % words
        }
    return {}


def _overlap_problem(package: str, mode: str, namespace: str, situation: Situation) -> dict[str, str]:
    """Two installs of one operator may not watch the same namespace."""
    for one in situation.subscriptions:
        if one.package != package or one.namespace == namespace:
            continue
        others = [olm.group_modes(group, one.namespace) for group in situation.groups.get(one.namespace, ())]
        if mode == ALL or ALL in others:
            return {
                "mode": _(
                    "This operator is already installed in “%(namespace)s”, and the two would watch the same namespaces. Uninstall that one first, or let each watch its own namespace only."
                )
                % {"namespace": one.namespace}
            }
    return {}


def _warnings(
    package: str, namespace: str, approval: str, version: str, channel: Channel, situation: Situation
) -> tuple[str, ...]:
    found = []
    others = [one for one in situation.subscriptions if one.namespace == namespace and one.package != package]
    if others and any(one.approval != approval for one in others):
        names = ", ".join(one.name for one in others)
        found.append(
            _(
                "Other operators live in this namespace (%(names)s). OLM plans them together: when one of them asks for manual approval, all wait for it."
            )
            % {"names": names}
        )
    if version and version != channel.csv and approval == "Automatic":
        found.append(
            _(
                "With automatic approval OLM goes on to the newest version right after this one. Choose manual approval to stay."
            )
        )
    if any(one.package == package and one.namespace != namespace for one in situation.subscriptions):
        found.append(
            _("This operator is installed in another namespace too; both share their CustomResourceDefinitions.")
        )
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Made:
    """What came of it: the objects that exist now, and the error that ended it, if one did."""

    created: tuple[str, ...]
    error: KubeError | None = None


def create(client: ClusterClient, wanted: Draft, done: Callable[[str, str], None]) -> Made:
    """Create the objects in their order. `done(ref, outcome)` is told of each. Stops at the first refusal and says what was made before."""
    created: list[str] = []
    for obj in wanted.objects:
        group, _slash, version = str(obj["apiVersion"]).rpartition("/")
        type_ = client.find_kind(group, obj["kind"], version)
        place = f"{type_.group_or_core}/{type_.version}/{type_.plural} {namespace_of(obj)}/{name_of(obj)}"
        try:
            client.create(type_, obj, namespace_of(obj))
        except AlreadyExists as error:
            if obj["kind"] != "Namespace":
                done(place, error.reason)
                return Made(tuple(created), error)
        except KubeError as error:
            done(place, error.reason)
            return Made(tuple(created), error)
        else:
            done(place, "ok")
            created.append(f"{obj['kind']} {name_of(obj)}")
    return Made(tuple(created))
