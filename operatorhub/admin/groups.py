"""OperatorGroups: which namespaces the operators of a namespace watch.

One, and only one, in each namespace that has operators.

Changing one changes what all operators beside it watch: OLM gives them roles in the new namespaces, takes those of the
others, and fails every operator whose install modes do not allow it.
https://olm.operatorframework.io/docs/concepts/crds/operatorgroup/
"""

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from kube import reader
from kube.client import ClusterClient
from kube.errors import Forbidden, KubeError
from kube.objects import KubeObject, name_of, namespace_of
from kube.types import olm as olm_types
from kube.types.meta import LabelSelector
from kube.types.olm import ClusterServiceVersion
from operatorhub import csv, olm
from resources import yamltext

PROVIDED = "olm.providedAPIs"
LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
#: Namespaces that operators watch: this one, those in a list, those with labels, all.
OWN, SOME, SELECTOR, ALL = "own", "some", "selector", "all"
MODES = ("AllNamespaces", "OwnNamespace", "SingleNamespace", "MultiNamespace")


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorGroup:
    """`targets`: spec.targetNamespaces; `selector` as text, '' without one; `namespaces`: what OLM made of it, ("",)
    is all.
    """

    uid: str
    namespace: str
    name: str
    version: str
    #: See olm.spec_version().
    spec_version: str
    targets: tuple[str, ...]
    selector: str
    namespaces: tuple[str, ...]
    mode: str
    account: str
    provided: tuple[str, ...]
    problems: tuple[str, ...]
    created: str

    @property
    def everywhere(self) -> bool:
        return self.mode == "AllNamespaces"


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """An operator beside the group; `refusal`: why its install modes don't allow what the group asks, '' when they
    do.
    """

    csv: str
    title: str
    modes: tuple[str, ...]
    phase: str
    refusal: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupsPage:
    """Of one namespace.

    `overlaps`: groups of other namespaces with which it shares both a kind and a namespace, which OLM does not allow.
    """

    namespace: str
    groups: tuple[OperatorGroup, ...]
    members: tuple[Member, ...]
    overlaps: tuple[tuple[OperatorGroup, tuple[str, ...]], ...]
    subscriptions: tuple[str, ...]
    gaps: tuple[str, ...]
    spaces: tuple[str, ...]


def group(obj: KubeObject) -> OperatorGroup:
    found = reader.read(obj, olm_types.OperatorGroup)
    meta, spec, status = found.metadata, found.spec, found.status
    return OperatorGroup(
        uid=meta.uid,
        namespace=meta.namespace,
        name=meta.name,
        version=meta.resource_version,
        spec_version=olm.spec_version(obj),
        targets=csv.strings(spec.target_namespaces),
        selector=selector_text(spec.selector),
        namespaces=status.namespaces,
        mode=olm.group_modes(obj, meta.namespace),
        account=spec.service_account_name or status.service_account_ref.name,
        provided=csv.split(meta.annotations.get(PROVIDED, "")),
        problems=tuple(
            condition.message or condition.reason for condition in status.conditions if condition.status == "True"
        ),
        created=meta.creation_timestamp,
    )


def selector_text(selector: LabelSelector) -> str:
    """A LabelSelector as kubectl writes it; '' selects all."""
    parts = [f"{key}={value}" for key, value in selector.match_labels.items()]
    for requirement in selector.match_expressions:
        key, values = requirement.key, ",".join(csv.strings(requirement.values))
        words = {
            "In": f"{key} in ({values})",
            "NotIn": f"{key} notin ({values})",
            "Exists": key,
            "DoesNotExist": f"!{key}",
        }
        parts.append(words.get(requirement.operator, key))
    return ",".join(parts)


def read(client: ClusterClient, namespace: str) -> GroupsPage:
    """Raises Forbidden if the user can't list the namespace's groups."""
    type_ = olm.type_of(client, "operatorgroups")
    own = tuple(group(item) for item in client.list(type_, namespace).items)
    gaps: list[str] = []

    def maybe(words: str, plural: str, where: str) -> list[KubeObject]:
        try:
            found = client.find("", "v1", plural) if plural == "namespaces" else olm.type_of(client, plural)
            return client.list(found, where).items
        except Forbidden:
            gaps.append(words)
            return []

    others = maybe(
        _("You don't have permission to list OperatorGroups in other namespaces, so conflicts with them aren't shown."),
        "operatorgroups",
        "",
    )
    csvs = maybe(_("You don't have permission to list ClusterServiceVersions in this namespace."), olm.CSVS, namespace)
    subs = maybe(_("You don't have permission to list Subscriptions in this namespace."), olm.SUBSCRIPTIONS, namespace)
    spaces = maybe(_("You don't have permission to list namespaces."), "namespaces", "")
    mode = own[0].mode if len(own) == 1 else ""
    members = tuple(member(item, mode) for item in csvs if not olm.copied(item))
    foreign = [group(item) for item in others if namespace_of(item) != namespace]
    overlapping = tuple((other, shared) for mine in own for other in foreign if (shared := overlap(mine, other)))
    return GroupsPage(
        namespace=namespace,
        groups=own,
        members=members,
        overlaps=overlapping,
        subscriptions=tuple(map(name_of, subs)),
        gaps=tuple(gaps),
        spaces=tuple(sorted(map(name_of, spaces))),
    )


def member(obj: KubeObject, mode: str) -> Member:
    """An operator and why it can't run in a group of this mode; `mode` '' skips that check."""
    found = reader.read(obj, ClusterServiceVersion)
    modes = csv.install_modes(found.spec.install_modes)
    refusal = ""
    if mode and mode not in modes:
        refusal = _(
            "This operator doesn't support the install mode %(mode)s (supported: %(modes)s). OLM would "
            "mark it as failed."
        ) % {
            "mode": mode,
            "modes": ", ".join(modes) or "–",
        }
    return Member(
        csv=found.metadata.name,
        title=found.spec.display_name or found.metadata.name,
        modes=modes,
        phase=found.status.phase,
        refusal=refusal,
    )


def overlap(first: OperatorGroup, second: OperatorGroup) -> tuple[str, ...]:
    """The kinds that both groups provide in a namespace that both select; () without overlap."""
    everywhere = first.everywhere or second.everywhere
    if not everywhere and not set(first.namespaces) & set(second.namespaces):
        return ()
    return tuple(api for api in first.provided if api in second.provided)


class OperatorGroupForm(forms.Form):
    """A group of the namespace: `old` as it is to be, or a new one. `targets` are for the scope some, `labels` for
    selector.
    """

    name = forms.CharField(required=False)
    scope = forms.ChoiceField(
        choices=[(scope, scope) for scope in (OWN, SOME, SELECTOR, ALL)],
        error_messages=dict.fromkeys(
            ("required", "invalid_choice"), gettext_lazy("Choose which namespaces the operators watch.")
        ),
    )
    targets = forms.CharField(required=False)
    labels = forms.CharField(required=False)
    version = forms.CharField(required=False)

    def __init__(self, data: Mapping[str, Any] | None, namespace: str, old: OperatorGroup | None = None) -> None:
        super().__init__(data, initial=_initial(old) if old else {"name": namespace, "scope": OWN})
        self.namespace = namespace
        self.old = old
        self.fields["name"].disabled = old is not None

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if self.old is None and not LABEL.fullmatch(name):
            words = _(
                "Use lowercase letters, digits and hyphens, at most 63 characters. Start and end with a letter or "
                "digit."
            )
            raise ValidationError(words)
        return name

    def clean_targets(self) -> list[str]:
        targets = csv.split(re.sub(r"\s+", ",", self.cleaned_data["targets"]))
        if self.cleaned_data.get("scope") == SOME:
            if bad := [target for target in targets if not LABEL.fullmatch(target)]:
                raise ValidationError(_("These aren't valid namespace names: %(names)s.") % {"names": ", ".join(bad)})
            if not targets:
                raise ValidationError(_("Enter at least one namespace."))
        return list(targets)

    def clean_labels(self) -> dict[str, str]:
        pairs = [part.partition("=") for part in csv.split(self.cleaned_data["labels"])]
        if self.cleaned_data.get("scope") == SELECTOR and (
            not pairs or any(not sign or not key.strip() for key, sign, _value in pairs)
        ):
            raise ValidationError(_("Enter labels as key=value, separated by commas."))
        return {key.strip(): value.strip() for key, _sign, value in pairs}

    @property
    def spec(self) -> dict[str, Any]:
        typed = self.cleaned_data
        specs: dict[str, dict[str, Any]] = {
            OWN: {"targetNamespaces": [self.namespace]},
            SOME: {"targetNamespaces": typed["targets"]},
            SELECTOR: {"selector": {"matchLabels": typed["labels"]}},
            ALL: {},
        }
        return specs[typed["scope"]]

    @property
    def mode(self) -> str:
        """The install mode that the group asks of its operators."""
        if self.cleaned_data["scope"] == SELECTOR:
            return "MultiNamespace"
        return olm.group_modes({"spec": self.spec}, self.namespace)

    @property
    def manifest(self) -> KubeObject:
        meta = {"name": self.cleaned_data["name"], "namespace": self.namespace}
        return {"apiVersion": f"{olm.GROUP}/v1", "kind": "OperatorGroup", "metadata": meta, "spec": self.spec}

    @property
    def spec_patch(self) -> dict[str, Any]:
        """targetNamespaces and selector exclude each other: the one that is not wanted is taken away."""
        return {"targetNamespaces": None, "selector": None, **self.spec}


def _initial(old: OperatorGroup) -> dict[str, str]:
    typed = {"name": old.name, "version": old.spec_version}
    if old.everywhere:
        return {**typed, "scope": ALL}
    if old.selector:
        return {**typed, "scope": SELECTOR, "labels": old.selector}
    scope = OWN if old.targets == (old.namespace,) else SOME
    return {**typed, "scope": scope, "targets": " ".join(old.targets)}


def kubectl(form: OperatorGroupForm) -> str:
    """The command that does the same."""
    if form.old is None:
        return f"kubectl create -f - <<'EOF'\n{yamltext.dump(form.manifest)}EOF"
    body = shlex.quote(json.dumps({"spec": form.spec_patch}))
    return f"kubectl patch {olm.GROUPS}.{olm.GROUP} {form.old.name} -n {form.namespace} --type merge -p {body}"


def effects(page: GroupsPage, form: OperatorGroupForm) -> tuple[str, ...]:
    """What the change would do to the operators that live there."""
    old, mode = form.old, form.mode
    words = _(
        "%(title)s doesn't support %(mode)s (supported: %(modes)s). OLM marks the operator as "
        "failed; it keeps running until then."
    )
    found = [
        words % {"title": operator.title, "mode": mode, "modes": ", ".join(operator.modes) or "–"}
        for operator in page.members
        if mode not in operator.modes
    ]
    if old is not None and page.members:
        after = form.spec.get("targetNamespaces", [])
        lost = sorted(namespace for namespace in set(old.namespaces) - set(after) if namespace) if after else []
        if lost:
            found.append(
                _("The operators stop watching: %(names)s. Their instances there remain unmanaged.")
                % {"names": ", ".join(lost)}
            )
        if form.cleaned_data["scope"] == ALL and not old.everywhere:
            found.append(_("The operators get their permissions in all namespaces, through cluster roles."))
    if old is None and page.groups:
        found.append(
            _(
                "This namespace already has an OperatorGroup. With two of them, OLM doesn't install or "
                "update operators here."
            )
        )
    return tuple(found)


def save(client: ClusterClient, form: OperatorGroupForm, *, dry_run: bool = False) -> KubeObject:
    """Raises Conflict when the group was changed since the page with `version` was made."""
    type_, old = olm.type_of(client, olm.GROUPS), form.old
    if old is None:
        return client.create(type_, form.manifest, form.namespace, dry_run=dry_run)
    return olm.patch_spec(
        client=client,
        type_=type_,
        name=old.name,
        namespace=form.namespace,
        change={"metadata": {"uid": old.uid}, "spec": form.spec_patch},
        version=form.cleaned_data["version"] or old.spec_version,
        dry_run=dry_run,
    )


def delete(client: ClusterClient, old: OperatorGroup, uid: str = "") -> None:
    client.delete(olm.type_of(client, "operatorgroups"), old.name, old.namespace, uid=uid or old.uid)


def readable(client: ClusterClient, namespace: str) -> tuple[OperatorGroup, ...]:
    """The namespace's groups; empty if the user can't read them."""
    try:
        return tuple(group(item) for item in client.list(olm.type_of(client, "operatorgroups"), namespace).items)
    except KubeError:
        return ()
