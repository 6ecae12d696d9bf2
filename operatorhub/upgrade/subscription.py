"""A Subscription: its settings and results, and changes of it: channel, approval, source, and the configuration of the
operator's Deployments.

Changes are sent as a merge patch of exactly those fields, for the version of the spec that the page showed: other
users' changes are never overwritten.
https://olm.operatorframework.io/docs/advanced-tasks/overriding-operator-pod-configuration/
"""

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from kube import reader
from kube.client import ClusterClient
from kube.errors import Forbidden, KubeError, NotFound
from kube.objects import KubeObject
from kube.types import olm as olm_types
from operatorhub import olm
from operatorhub.bundle import bundles
from operatorhub.bundle.bundles import Graph
from operatorhub.bundle.graph import path_of_updates
from operatorhub.running import installed_operators, updates
from operatorhub.sources.drafts import ChannelEntry
from operatorhub.upgrade import plans
from resources import yamltext

APPROVALS = ("Automatic", "Manual")
#: What of spec.config is edited as text here; everything is editable in the generated form of the object.
CONFIG = (
    "env",
    "envFrom",
    "resources",
    "nodeSelector",
    "tolerations",
    "volumes",
    "volumeMounts",
    "affinity",
    "annotations",
)
_LISTS = frozenset({"env", "envFrom", "tolerations", "volumes", "volumeMounts"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """A channel that can be chosen, with its newest version."""

    name: str
    csv: str
    version: str
    default: bool
    deprecated: str
    current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionPage:
    """`heads`: () and a `graph_problem` where the package can't be read.

    `others_manual`: Subscriptions of the namespace that make all plans of it wait.
    """

    object: KubeObject
    sub: olm.Subscription
    update: updates.Update
    catalog_state: str
    heads: tuple[Head, ...]
    graph_problem: str
    plan: plans.InstallPlan | None
    others_manual: tuple[str, ...]
    others_automatic: tuple[str, ...]
    neighbours: tuple[str, ...]
    sources: tuple[bundles.PackageOffer, ...]
    config: Mapping[str, str]
    graph: Graph | None = None

    @property
    def version(self) -> str:
        """Its resourceVersion."""
        return reader.read(self.object, olm_types.Subscription).metadata.resource_version

    @property
    def counts(self) -> Mapping[str, int]:
        """As the peer counts: installed, installing, waiting for approval, failed."""
        phase = self.plan.phase if self.plan else ""
        return {
            "installed": int(bool(self.sub.installed_csv)),
            "installing": int(phase in ("Installing", "Planning")),
            "asks": int(self.plan is not None and self.plan.waits),
            "failed": int(phase == "Failed"),
        }


def read(client: ClusterClient, namespace: str, name: str) -> SubscriptionPage:
    """Raises NotFound, Forbidden; what lies beside the Subscription may be missing."""
    obj = client.get(olm.type_of(client, olm.SUBSCRIPTIONS), name, namespace)
    sub = olm.subscription(obj)
    health = updates.catalogs(client)
    graph, problem = _graph(client, sub)
    others = [
        subscription
        for subscription in installed_operators.subscriptions(client, namespace)
        if subscription.name != name
    ]
    return SubscriptionPage(
        object=obj,
        sub=sub,
        update=updates.update_of(sub, health),
        catalog_state=health.state(sub),
        heads=heads(graph, sub.channel) if graph else (),
        graph_problem=problem,
        plan=_plan(client, sub),
        others_manual=tuple(subscription.name for subscription in others if subscription.approval == "Manual"),
        others_automatic=tuple(subscription.name for subscription in others if subscription.approval != "Manual"),
        neighbours=tuple(subscription.name for subscription in others),
        sources=tuple(offer for offer in bundles.others(client, sub.package) if offer.namespace not in ("~", "-")),
        config=config_texts(obj),
        graph=graph,
    )


def _graph(client: ClusterClient, sub: olm.Subscription) -> tuple[Graph | None, str]:
    try:
        return bundles.graph(client, sub.catalog_namespace, sub.catalog, sub.package, sub.namespace), ""
    except KubeError as error:
        return None, str(error)


def _plan(client: ClusterClient, sub: olm.Subscription) -> plans.InstallPlan | None:
    if not sub.plan:
        return None
    try:
        return plans.read(client, sub.namespace, sub.plan)
    except (NotFound, Forbidden):
        return None


def heads(graph: Graph, current: str) -> tuple[Head, ...]:
    """The channels with the version that each leads to."""
    chosen = current or graph.default
    found = []
    for channel in graph.channels:
        head = channel.entries[0] if channel.entries else None
        found.append(
            Head(
                name=channel.name,
                csv=head.name if head else "",
                version=head.version if head else "",
                default=channel.name == graph.default,
                deprecated=channel.deprecated,
                current=channel.name == chosen,
            )
        )
    return tuple(found)


def config_texts(obj: KubeObject) -> Mapping[str, str]:
    """Each part of spec.config as YAML, '' where there is none."""
    config = reader.read(obj, olm_types.Subscription).spec.config
    return {key: yamltext.dump(config[key]) if config.get(key) else "" for key in CONFIG}


class ConfigField(forms.CharField):
    """A part of spec.config as YAML; None where the text is empty."""

    def __init__(self, key: str) -> None:
        super().__init__(required=False, strip=False, label=key)
        self.type: type[Any] = list if key in _LISTS else dict

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        try:
            found = yamltext.load(text) if text.strip() else None
        except yamltext.YamlProblem as problem:
            raise ValidationError(str(problem)) from problem
        if found is not None and not isinstance(found, self.type):
            raise ValidationError(
                _("This must be a list: each entry begins with “- ”.")
                if self.type is list
                else _("This must be a mapping: “name: value”.")
            )
        return found

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(data.replace("\r\n", "\n").strip() != initial.strip())


class SubscriptionForm(forms.Form):
    """What is changed of a Subscription; fields that weren't posted stay. Each part of its config has a field
    `config.<name>`.

    `version`: of what the user saw, as olm.patch_spec() takes it. `source`: namespace/name of a catalog that has the
    package.
    """

    version = forms.CharField(required=False)
    channel = forms.CharField(required=False)
    approval = forms.ChoiceField(
        choices=[("Automatic", gettext_lazy("Automatic")), ("Manual", gettext_lazy("Manual"))],
        error_messages=dict.fromkeys(
            ("required", "invalid_choice"), gettext_lazy("Choose automatic or manual approval.")
        ),
    )
    source = forms.CharField(required=False, widget=forms.Select)

    def __init__(self, page: SubscriptionPage, posted: Mapping[str, str] | None = None) -> None:
        initial = {
            "version": olm.spec_version(page.object),
            "channel": next((head.name for head in page.heads if head.current), page.sub.channel),
            "approval": page.sub.approval,
            "source": f"{page.sub.catalog_namespace}/{page.sub.catalog}",
            **{f"config.{key}": text for key, text in page.config.items()},
        }
        super().__init__(None if posted is None else {**initial, **posted}, initial=initial)
        self.page = page
        self.fields["source"].widget.choices = [
            (f"{offer.namespace}/{offer.catalog}", f"{offer.catalog_title} ({offer.namespace}) {offer.version}")
            for offer in page.sources
        ]
        self.fields |= {f"config.{key}": ConfigField(key) for key in page.config}

    @property
    def config(self) -> tuple[forms.BoundField, ...]:
        return tuple(self[f"config.{key}"] for key in self.page.config)

    @property
    def has_config(self) -> bool:
        return any(field.value() for field in self.config)

    def clean_channel(self) -> str:
        channel: str = self.cleaned_data["channel"]
        known = (self.page.sub.channel, *(head.name for head in self.page.heads))
        if self.page.heads and channel not in known:
            words = _("The package has no channel “%(name)s”. Choose one from the list.")
            raise ValidationError(words, params={"name": channel})
        return channel

    @cached_property
    def patch(self) -> dict[str, Any]:
        """{} where nothing changes, or something is wrong."""
        if not self.is_valid():
            return {}
        wanted, sub = self.cleaned_data, self.page.sub
        spec: dict[str, Any] = {}
        if wanted["channel"] not in (sub.channel, self.initial["channel"]):
            spec["channel"] = wanted["channel"]
        if wanted["approval"] != sub.approval:
            spec["installPlanApproval"] = wanted["approval"]
        namespace, _slash, catalog = wanted["source"].partition("/")
        if catalog and (namespace, catalog) != (sub.catalog_namespace, sub.catalog):
            spec["source"], spec["sourceNamespace"] = catalog, namespace
        old = reader.read(self.page.object, olm_types.Subscription).spec.config
        config = {
            key: _replaced(old.get(key), wanted[f"config.{key}"])
            for key in self.page.config
            if f"config.{key}" in self.changed_data
        }
        if config:
            spec["config"] = config
        return {"spec": spec} if spec else {}

    @property
    def kubectl(self) -> str:
        sub, body = self.page.sub, shlex.quote(json.dumps(self.patch, ensure_ascii=False))
        return f"kubectl patch subscriptions.{olm.GROUP} {sub.name} -n {sub.namespace} --type merge -p {body}"


def _replaced(old: Any, new: Any) -> Any:
    """A merge patch merges mappings: what is to go has to be named."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        gone = {key: None for key in old if key not in new}
        return {**gone, **{key: _replaced(old.get(key), value) for key, value in new.items()}}
    return new


def save(client: ClusterClient, form: SubscriptionForm, *, dry_run: bool = False) -> KubeObject:
    """Raises Conflict if the Subscription has changed since the user saw it, and other KubeErrors."""
    page = form.page
    return olm.patch_spec(
        client=client,
        type_=olm.type_of(client, olm.SUBSCRIPTIONS),
        name=page.sub.name,
        namespace=page.sub.namespace,
        change={**form.patch, "metadata": {"uid": page.sub.uid}},
        version=form.cleaned_data["version"] or olm.spec_version(page.object),
        dry_run=dry_run,
    )


def _channel_warnings(page: SubscriptionPage, channel: str) -> Iterator[str]:
    """Where the channel leads from the version that runs."""
    runs = page.sub.installed_csv
    entries = [entry for graph_channel in page.graph.channels for entry in graph_channel.entries] if page.graph else []
    known = next(
        (entry for entry in entries if entry.name == runs), ChannelEntry(name=runs, version=olm.version_in(runs))
    )
    way = path_of_updates(page.graph, channel, known) if page.graph and runs else None
    names = {"channel": channel, "installed": known.version, "head": way.head.version if way else ""}
    if way and way.head.name == runs:
        yield _("%(installed)s is already the newest version in the channel %(channel)s. Nothing changes now.") % names
    elif way and way.older and not way.passed:
        yield (
            _(
                "The newest version in the channel %(channel)s is %(head)s, older than the installed "
                "%(installed)s. OLM doesn't downgrade: it won't update the operator and can report a "
                "failure."
            )
            % names
        )
    elif way and not way.passed:
        yield (
            _(
                "No version in the channel %(channel)s updates the installed %(installed)s. OLM won't "
                "update the operator and can report a failure."
            )
            % names
        )
    elif way:
        passed = ", ".join(entry.version for entry in way.passed)
        yield _("OLM updates %(installed)s to: %(versions)s.") % {**names, "versions": passed}
    if page.sub.approval == "Automatic" and not page.others_manual and (way is None or way.passed):
        yield _("With automatic approval, OLM updates to the new channel's newest version immediately.")


def warnings(form: SubscriptionForm) -> tuple[str, ...]:
    """What a change would do that its words don't say."""
    page, spec = form.page, form.patch.get("spec", {})
    found = []
    if spec.get("installPlanApproval") == "Manual" and page.others_automatic:
        found.append(
            _(
                "Other operators in this namespace (%(names)s) will also wait for approval, because OLM "
                "plans a namespace as a whole."
            )
            % {"names": ", ".join(page.others_automatic)}
        )
    if spec.get("installPlanApproval") == "Automatic" and page.others_manual:
        found.append(
            _("Updates will still wait for approval because %(names)s in this namespace requires it.")
            % {"names": ", ".join(page.others_manual)}
        )
    if "channel" in spec:
        found += _channel_warnings(page, str(spec["channel"]))
    if "config" in spec:
        found.append(_("The operator's Deployments are rolled out again with the new configuration."))
    return tuple(found)
