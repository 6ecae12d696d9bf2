"""A Subscription: its settings and results, and changes of it: channel, approval, source, and the configuration of the
operator's Deployments.

Changes are sent as a merge patch of exactly those fields, with the resourceVersion that the page showed: other users'
changes are never overwritten.
https://olm.operatorframework.io/docs/advanced-tasks/overriding-operator-pod-configuration/
"""

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.errors import Forbidden, KubeError, NotFound
from kube.objects import KubeObject
from operatorhub import csv, olm
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
        """The resourceVersion that edits are made against."""
        return csv.text(csv.mapping(self.object.get("metadata")).get("resourceVersion"))

    @property
    def source(self) -> bundles.PackageOffer | None:
        """The catalog that it takes its versions from; None where that doesn't have the package (any more)."""
        of = (self.sub.catalog_namespace, self.sub.catalog)
        return next((offer for offer in self.sources if (offer.namespace, offer.catalog) == of), None)

    @property
    def spec(self) -> Mapping[str, Any]:
        return csv.mapping(self.object.get("spec"))

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
    config = csv.mapping(csv.mapping(obj.get("spec")).get("config"))
    return {key: yamltext.dump(config[key]) if config.get(key) else "" for key in CONFIG}


@dataclass(frozen=True, slots=True)
class Edit:
    """What was posted. `errors` by field; `patch` is empty when nothing changes."""

    patch: Mapping[str, Any]
    errors: Mapping[str, str]
    texts: Mapping[str, str]

    def kubectl(self, namespace: str, name: str) -> str:
        body = shlex.quote(json.dumps(self.patch, ensure_ascii=False))
        return f"kubectl patch subscriptions.{olm.GROUP} {name} -n {namespace} --type merge -p {body}"


def edit(page: SubscriptionPage, posted: Mapping[str, str]) -> Edit:
    """Compare what was posted with what there is; fields that were not posted stay."""
    spec: dict[str, Any] = {}
    errors: dict[str, str] = {}
    channel = posted.get("channel", page.sub.channel).strip()
    if channel != page.sub.channel and not (not page.sub.channel and _is_default(page, channel)):
        if page.heads and channel not in {head.name for head in page.heads}:
            errors["channel"] = _("The package has no channel “%(name)s”. Choose one from the list.") % {
                "name": channel
            }
        spec["channel"] = channel
    approval = posted.get("approval", page.sub.approval)
    if approval not in APPROVALS:
        errors["approval"] = _("Choose automatic or manual approval.")
    elif approval != page.sub.approval:
        spec["installPlanApproval"] = approval
    _source(page, posted.get("source", ""), spec)
    texts = {key: posted.get(f"config.{key}", page.config[key]) for key in CONFIG}
    config = _config(page, texts, errors)
    if config:
        spec["config"] = config
    return Edit({"spec": spec} if spec and not errors else {}, errors, texts)


def _is_default(page: SubscriptionPage, channel: str) -> bool:
    return any(head.default and head.name == channel for head in page.heads)


def _source(page: SubscriptionPage, wanted: str, spec: dict[str, Any]) -> None:
    """`namespace/name` of another catalog that offers the package."""
    namespace, _slash, name = wanted.partition("/")
    if name and (namespace, name) != (page.sub.catalog_namespace, page.sub.catalog):
        spec["source"], spec["sourceNamespace"] = name, namespace


def _config(page: SubscriptionPage, texts: Mapping[str, str], errors: dict[str, str]) -> dict[str, Any]:
    old = csv.mapping(page.spec.get("config"))
    changed: dict[str, Any] = {}
    for key, text in texts.items():
        if text.replace("\r\n", "\n").strip() == page.config[key].strip():
            continue
        try:
            value = yamltext.load(text) if text.strip() else None
        except yamltext.YamlProblem as problem:
            errors[f"config.{key}"] = str(problem)
            continue
        wanted = list if key in _LISTS else dict
        if value is not None and not isinstance(value, wanted):
            errors[f"config.{key}"] = (
                _("This must be a list: each entry begins with “- ”.")
                if wanted is list
                else _("This must be a mapping: “name: value”.")
            )
            continue
        changed[key] = _replaced(old.get(key), value)
    return changed


def _replaced(old: Any, new: Any) -> Any:
    """A merge patch merges mappings: what is to go has to be named."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        gone = {key: None for key in old if key not in new}
        return {**gone, **{key: _replaced(old.get(key), value) for key, value in new.items()}}
    return new


def save(
    client: ClusterClient, page: SubscriptionPage, wanted: Edit, version: str, *, dry_run: bool = False
) -> KubeObject:
    """Raises Conflict if the Subscription has changed since the page was rendered (`version`), and other KubeErrors."""
    type_ = olm.type_of(client, olm.SUBSCRIPTIONS)
    if version == page.version:
        # Just read: only OLM's status updates can have come between, and they don't conflict.
        own = {**wanted.patch, "metadata": {"uid": page.sub.uid}}
        was = olm.spec_version(page.object)
        return olm.patch_spec(
            client=client,
            type_=type_,
            name=page.sub.name,
            namespace=page.sub.namespace,
            change=own,
            version=was,
            dry_run=dry_run,
        )
    patch = {**wanted.patch, "metadata": {"resourceVersion": version, "uid": page.sub.uid}}
    return client.patch(type_, page.sub.name, patch, page.sub.namespace, dry_run=dry_run)


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


def warnings(page: SubscriptionPage, wanted: Edit) -> tuple[str, ...]:
    """What a change would do that its words don't say."""
    spec = csv.mapping(wanted.patch.get("spec"))
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
