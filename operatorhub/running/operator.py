"""One installed operator in full: its ClusterServiceVersion, what became of it in the cluster, and its actions.

Actions are forms for new instances and the page's menu. An action that the user can't run has a `refusal`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from console.web import markdown
from console.web.access import refusal
from kube import reader
from kube.client import ClusterClient
from kube.errors import KubeError, NotFound
from kube.objects import KubeObject
from kube.types.meta import Object
from kube.types.olm import ClusterServiceVersion, ClusterServiceVersionStatus, RequirementStatus, WebhookDescription
from operatorhub import csv, olm
from operatorhub.running import installed_operators, operands, updates, workloads
from operatorhub.running.installed_operators import PACKAGE_SERVER, Operator, summary
from operatorhub.running.operands import OwnedApi
from operatorhub.running.workloads import StagePart
from resources import live_topics
from resources.acting.actions import Action
from resources.place import Place
from resources.state.health import DEGRADED, PROGRESSING, READY, TERMINATING, Health

INITIALIZATION = "operatorframework.io/initialization-resource"


@dataclass(frozen=True, slots=True)
class OperatorLink:
    name: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """`type`: ValidatingAdmissionWebhook, MutatingAdmissionWebhook or ConversionWebhook; `what`: the kinds it is
    asked about.
    """

    name: str
    type: str
    deployment: str
    what: tuple[str, ...]
    policy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvFacts:
    """What the CSV says and nothing else does."""

    links: tuple[OperatorLink, ...]
    maintainers: tuple[OperatorLink, ...]
    support: str
    level: int
    strategy: str
    modes: tuple[str, ...]
    accounts: tuple[str, ...]
    images: tuple[OperatorLink, ...]
    replaces: str
    skips: tuple[str, ...]
    webhooks: tuple[Webhook, ...]
    min_kube: str
    maturity: str
    required: tuple[csv.Api, ...]
    initialization: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """An operator's page.

    `requirements`: all of status.requirementStatus; `original`: of a copy, the namespace of what it copies.
    """

    object: KubeObject
    operator: Operator
    html: str
    message: str
    conditions: tuple[Mapping[str, str], ...]
    requirements: tuple[StagePart, ...]
    deployments: tuple[StagePart, ...]
    pods: tuple[StagePart, ...]
    subscription: olm.Subscription | None
    group: str
    apis: tuple[OwnedApi, ...]
    facts: CsvFacts
    original: str = ""
    message_uninstall: str = ""

    @property
    def targets(self) -> tuple[str, ...]:
        return self.operator.targets or ()

    @property
    def only_namespace(self) -> str:
        """The one namespace that it watches, '' when it watches several or all."""
        return self.targets[0] if len(self.targets) == 1 else ""

    @property
    def instances(self) -> int | None:
        """How many there are of the kinds that can be counted; None where none can."""
        counts = [api.count for api in self.apis if api.count is not None]
        return sum(counts) if counts else None

    @property
    def missing(self) -> tuple[StagePart, ...]:
        """Requirements that hold it up."""
        return tuple(part for part in self.requirements if part.state == workloads.FAILED)

    @property
    def missing_first(self) -> tuple[StagePart, ...]:
        """All requirements."""
        return (*self.missing, *(part for part in self.requirements if part.state != workloads.FAILED))


def read(client: ClusterClient, namespace: str, name: str) -> tuple[KubeObject, olm.Subscription | None, Operator]:
    """The CSV, the Subscription that keeps it, and its row. Raises NotFound, Forbidden."""
    obj = client.get(olm.type_of(client, olm.CSVS), name, namespace)
    subs = installed_operators.subscriptions(client, namespace)
    sub = next(
        (subscription for subscription in subs if name in (subscription.current_csv, subscription.installed_csv)), None
    )
    return obj, sub, _operator(client, obj, sub)


def _operator(client: ClusterClient, obj: KubeObject, sub: olm.Subscription | None) -> Operator:
    icon = installed_operators.icon_of(client, sub)
    row = installed_operators.operator_row(obj, summary(obj), sub, icon, updates.catalogs(client) if sub else None)
    (row,) = installed_operators.with_lifecycles(client, [row], [sub] if sub else [])
    if row.state == workloads.DONE:
        return row
    reason = olm.csv_status(obj).message
    state = updates.version_state(client, obj, sub.plan if sub else "")
    return installed_operators.with_state(row, state, reason)


def detail(client: ClusterClient, namespace: str, name: str, place: str = "") -> Detail:
    """`place`: the picked namespace, where new instances go unless the operator watches one alone.

    Raises NotFound, Forbidden.
    """
    obj, sub, row = read(client, namespace, name)
    found = reader.read(obj, ClusterServiceVersion)
    annotations = found.metadata.annotations
    where = new_place(row, place)
    runs_in = row.runs_in or namespace
    shown, pods = workloads.read_workloads(client, runs_in, obj)
    return Detail(
        object=obj,
        operator=row,
        html=markdown.render(found.spec.description),
        message=found.status.message,
        conditions=_conditions(found.status),
        requirements=requirements(found.status),
        deployments=shown,
        pods=pods,
        subscription=sub,
        group=annotations.get("olm.operatorGroup", ""),
        apis=operands.owned(client, row.apis, where, row.targets[0] if row.targets and len(row.targets) == 1 else ""),
        facts=facts(found),
        original=row.runs_in,
        message_uninstall=annotations.get("operator.openshift.io/uninstall-message", "").strip(),
    )


def health(row: Operator) -> Health:
    """Its state in the words that all objects have."""
    states = {workloads.DONE: READY, workloads.FAILED: DEGRADED}
    return Health(
        state=TERMINATING if row.phase == "Deleting" else states.get(row.state, PROGRESSING), reason=row.reason
    )


def new_place(row: Operator, picked: str) -> str:
    """Where a new instance goes first: into what it watches, else into the picked namespace, else beside the
    operator.
    """
    targets = row.targets or ()
    if targets:
        return picked if picked in targets else targets[0]
    return picked or row.namespace


def _conditions(status: ClusterServiceVersionStatus) -> tuple[Mapping[str, str], ...]:
    """Newest first."""
    return tuple(
        {
            "phase": condition.phase,
            "reason": condition.reason,
            "message": condition.message,
            "lastTransitionTime": condition.last_transition_time,
        }
        for condition in reversed(status.conditions)
    )


def requirements(status: ClusterServiceVersionStatus) -> tuple[StagePart, ...]:
    """What the operator needs, each object once: OLM may report a CustomResourceDefinition for each of its versions."""
    return tuple(dict.fromkeys(_requirement(requirement) for requirement in status.requirement_status))


def _requirement(requirement: RequirementStatus) -> StagePart:
    state = requirement.status
    known = {"Present": workloads.DONE, "Satisfied": workloads.DONE, "DependentSatisfied": workloads.DONE}
    words = {
        "Present": _("exists"),
        "Satisfied": _("is satisfied"),
        "NotPresent": _("is missing"),
        "PresentNotSatisfied": _("exists, but isn't satisfied"),
        "NotAvailable": _("isn't responding"),
    }
    state_words = words.get(state, state)
    if state not in known and requirement.message:
        state_words = f"{state_words}: {requirement.message}"
    below = [dependent.message for dependent in requirement.dependents if "Not" in dependent.status]
    return StagePart(
        kind=requirement.kind,
        name=requirement.name,
        state=known.get(state, workloads.FAILED),
        words="; ".join([state_words, *below]),
    )


def facts(found: ClusterServiceVersion) -> CsvFacts:
    """Pure: from the CSV alone."""
    spec, annotations = found.spec, found.metadata.annotations
    return CsvFacts(
        links=tuple(
            OperatorLink(link.name, link.url) for link in spec.links if link.url.startswith(("https://", "http://"))
        ),
        maintainers=tuple(
            OperatorLink(maintainer.name, maintainer.email)
            for maintainer in spec.maintainers
            if maintainer.name or maintainer.email
        ),
        support=annotations.get("support", "").strip(),
        level=csv.level(annotations),
        strategy=spec.install.strategy,
        modes=csv.install_modes(spec.install_modes),
        accounts=spec.install.spec.service_accounts,
        images=tuple(OperatorLink(image.name, image.image) for image in spec.related_images),
        replaces=spec.replaces,
        skips=csv.strings(spec.skips),
        webhooks=tuple(_webhook(webhook) for webhook in spec.webhookdefinitions),
        min_kube=spec.min_kube_version,
        maturity=spec.maturity,
        required=csv.apis(spec.customresourcedefinitions.required),
        initialization=csv.initialization(annotations),
    )


def _webhook(webhook: WebhookDescription) -> Webhook:
    kinds = [
        "/".join(part for part in (",".join(csv.strings(rule.api_groups)), resource) if part)
        for rule in webhook.rules
        for resource in csv.strings(rule.resources)
    ]
    return Webhook(
        name=webhook.generate_name,
        type=webhook.type,
        deployment=webhook.deployment_name,
        what=tuple(dict.fromkeys(kinds)) or csv.strings(webhook.conversion_crds),
        policy=webhook.failure_policy or ("Fail" if webhook.rules else ""),
    )


def needs_initialization(client: ClusterClient, found: Detail) -> bool:
    """Whether the author asks for one instance at the start that is not there.

    False if the user can't read it.
    """
    wanted = found.facts.initialization
    if not wanted:
        return False
    first = reader.read(wanted, Object)
    try:
        type_ = client.find_kind(first.group, first.kind, first.version)
        if first.metadata.name:
            place = first.metadata.namespace or found.operator.namespace
            client.get(type_, first.metadata.name, place if type_.namespaced else "")
            return False
        number, _problem = operands.count(client, type_)
    except NotFound:
        return True
    except KubeError:
        return False
    return number == 0


def topics(client: ClusterClient, found: Detail, namespace: str) -> str:
    """What the operator's page follows: its own objects, its Deployments, and the kinds it provides."""
    own = (*olm.type_names(olm.CSVS, olm.SUBSCRIPTIONS, olm.PLANS), live_topics.DEPLOYMENTS)
    provided = [api.type for api in found.apis[:10] if api.type]
    return f"{live_topics.topics(client, *own, namespace=namespace)} {live_topics.topics(client, *provided)}"


def create_actions(found: Detail, place: str) -> tuple[Action, ...]:
    """A form for each kind that the cluster serves, in the order of the kinds.

    `place`: the namespace of a new instance.
    """
    return tuple(_create_action(api, place) for api in found.apis if api.type)


def _create_action(api: OwnedApi, place: str) -> Action:
    label = _("Create %(kind)s") % {"kind": api.api.kind}
    assert api.type is not None
    page = reverse("resources:new", args=[api.type.group, api.type.version, api.type.plural])
    url = f"{page}?{urlencode({'namespace': place})}" if api.type.namespaced else page
    return Action(label=label, url=url, refusal=api.refused)


def menu_actions(client: ClusterClient, found: Detail, run: str) -> tuple[Action, ...]:
    """The menu of its page. `run`: the package that the console runs it from without OLM, '' for none."""
    return tuple(_menu_actions(client, found, run))


def _menu_actions(client: ClusterClient, found: Detail, run: str) -> Iterator[Action]:
    row, sub = found.operator, found.subscription
    if sub:
        tab = reverse("operatorhub:operator-tab", args=[row.namespace, row.csv, "updates"])
        yield Action(label=_("Edit Subscription"), url=f"{tab}#subscription-form")
        yield _yaml_action(Place(olm.type_of(client, olm.SUBSCRIPTIONS), row.namespace, sub.name))
    yield _yaml_action(Place(olm.type_of(client, olm.CSVS), row.namespace, row.csv))
    if sub:
        yield Action(label=_("Install timeline"), url=reverse("operatorhub:progress", args=[row.namespace, sub.name]))
    if found.original:
        yield Action(label=_("Go to the original"), url=reverse("operatorhub:operator", args=[found.original, row.csv]))
        return
    yield Action(label=_("Export"), url=reverse("operatorhub:export", args=[row.namespace, row.csv]))
    if run:
        yield Action(label=_("View bundle run"), url=reverse("operatorhub:run-progress", args=[row.namespace, run]))
        yield Action(
            label=_("Remove bundle run"), url=reverse("operatorhub:run-remove", args=[row.namespace, run]), danger=True
        )
        return
    if sub:
        remove = reverse("operatorhub:subscription-remove", args=[row.namespace, sub.name])
        yield Action(label=_("Remove Subscription"), url=remove, danger=True)
    label = _("Uninstall") if sub else _("Delete ClusterServiceVersion")
    url = reverse("operatorhub:uninstall", args=[row.namespace, row.csv])
    yield Action(label=label, url=url, refusal=_delete_refusal(client, row), danger=True)


def _yaml_action(place: Place) -> Action:
    label = _("%(kind)s YAML") % {"kind": place.type.kind}
    return Action(label=label, url=place.url("yaml"), command=f"kubectl get {place.kubectl} -o yaml")


def _delete_refusal(client: ClusterClient, row: Operator) -> str:
    if row.csv == PACKAGE_SERVER:
        return _("This is part of OLM. Without it, catalogs don't work.")
    return refusal(client, "delete", olm.type_of(client, olm.CSVS), row.namespace, row.csv)
