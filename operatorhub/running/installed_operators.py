"""Installed operators: the ClusterServiceVersions of one namespace or of all, with what their Subscriptions say;
Subscriptions that have no ClusterServiceVersion yet; and their numbers for the overview.

OLM copies the CSV of an operator into every namespace that it watches. An operator is listed once, where it runs; users
who can't read that namespace see the copy. Where OLM makes no copies (OLMConfig disableCopiedCSVs), the operators of a
namespace are found by the namespaces that they watch.

A CSV has 20 to 1,000 KB, most of it description, icon and examples, and a cluster has hundreds. A list asks the API
server for names and generations only (a Table), and reads only the whole objects that it has not seen yet; a summary of
each generation is cached.
"""

import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from cachetools import LRUCache
from django.urls import reverse
from django.utils.translation import gettext as _

from console.web.front import Workers
from kube.client import ClusterClient
from kube.errors import Forbidden, KubeError, NotFound
from kube.objects import KubeObject, TableRow, name_of, namespace_of, text, uid_of
from kube.reader import read
from kube.types.meta import ObjectMeta
from kube.types.olm import CSVDescription, OLMConfig
from operatorhub import csv, install_state, olm
from operatorhub.bundle.package import Lifecycle, lifecycles
from operatorhub.csv import Api
from operatorhub.models import Package
from operatorhub.running import updates
from operatorhub.running.updates import Update
from operatorhub.running.workloads import ASKS, DONE, FAILED, RUNNING

PACKAGE_SERVER = "packageserver"
#: Of CSVs that are not well the reason is read, one by one; beyond this number it is on their own pages only.
_REASONS = 30
#: How many operators the totals name.
_MAX_NAMED_OPERATORS = 5

MAX_SUMMARIES = 4000
# More unknown CSVs than this are read by pages of the list; fewer one by one.
_SINGLY = 12
_PAGE = 100
_workers = Workers(6, thread_name_prefix="csvs")
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Summary:
    """Of one generation of one CSV. `apis`: without those that its author marks as internal."""

    title: str
    version: str
    provider: str
    apis: tuple[Api, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """One row.

    `state`: done, running, failed or asks; `word` and `reason` say it to people. `csv` is '' while OLM has not chosen
    one.

    `targets`: the namespaces that it watches, () for all, None where that is not known. `runs_in`: of a copy, the
    namespace of the original.
    """

    uid: str
    namespace: str
    csv: str
    title: str
    version: str
    provider: str
    state: str
    word: str
    reason: str
    apis: tuple[Api, ...]
    subscription: str
    package: str
    channel: str
    created: str
    updated: str = ""
    icon_name: str = ""
    phase: str = ""
    targets: tuple[str, ...] | None = None
    runs_in: str = ""
    update: Update | None = None
    deprecated: tuple[str, ...] = ()
    lifecycle: Lifecycle | None = None

    @property
    def url(self) -> str:
        """Of its own page; of the install's progress while OLM has not chosen a version."""
        if self.csv:
            return reverse("operatorhub:operator", args=[self.namespace, self.csv])
        return reverse("operatorhub:progress", args=[self.namespace, self.subscription])

    @property
    def orphan(self) -> bool:
        """True if no Subscription installed it, so it gets no updates. OLM's package server is meant to be so."""
        return bool(self.csv) and not self.subscription and not self.runs_in and self.csv != PACKAGE_SERVER


@dataclass(frozen=True, slots=True)
class Listed:
    """`gaps`: what could not be read and is missing therefore, a sentence each. `subscriptions`: those of the rows, for
    with_lifecycles().
    """

    rows: tuple[Operator, ...]
    gaps: tuple[str, ...] = ()
    subscriptions: tuple[olm.Subscription, ...] = ()


def listed(client: ClusterClient, namespace: str, labels: str = "") -> Listed:
    """Operators of the namespace ('' = all) by their titles.

    Raises Forbidden when not even the namespace's may be listed; BadRequest for a bad selector.
    """
    gaps: list[str] = []
    heads = _heads(client, namespace, labels)
    copies = [row for row in heads if olm.copied(row.object)]
    watching, seen_all = _watching(client, namespace, copies, labels, gaps) if namespace else ([], True)
    own = [row for row in heads if not olm.copied(row.object)]
    if not namespace:
        # In the user's own namespaces: each copied operator once, however many copies there are.
        once = {(olm.copied_from(row.object), name_of(row.object)): row for row in reversed(copies)}
        own += [
            row
            for key, row in once.items()
            if key not in {(namespace_of(row.object), name_of(row.object)) for row in own}
        ]
    shown = [*own, *watching] if seen_all else [*own, *copies]
    subs = _subscriptions(client, namespace if not watching else "", namespace, gaps)
    known = summaries(client, (row.object for row in shown), namespace if not watching else "")
    by_csv = {(sub.namespace, name): sub for sub in subs for name in (sub.current_csv, sub.installed_csv) if name}
    icons = _icons(client.name, {sub.package for sub in subs})
    health = updates.catalogs(client)
    rows = []
    for row in shown:
        sub = by_csv.get((namespace_of(row.object), name_of(row.object)))
        rows.append(operator_row(row.object, known[uid_of(row.object)], sub, _icon(icons, sub), health))
    there = {(row.namespace, row.csv) for row in rows}
    rows += [
        _coming(sub, icons, health)
        for sub in subs
        # A selector is for CSVs: one that it leaves out isn't missing.
        if not labels
        and (not namespace or sub.namespace == namespace)
        and there.isdisjoint({(sub.namespace, sub.current_csv), (sub.namespace, sub.installed_csv)})
    ]
    rows = _judged(client, rows, by_csv)
    ordered = sorted(rows, key=lambda row: (row.title.lower(), row.namespace, row.csv))
    return Listed(tuple(ordered), tuple(gaps), tuple(subs))


def with_lifecycles(
    client: ClusterClient, rows: Iterable[Operator], subs: Iterable[olm.Subscription]
) -> list[Operator]:
    """With what the catalogs of their Subscriptions state of the installed versions.

    Not part of listed(): it asks the database for each operator, and listed() is also for the navigation of every page.
    """
    places = {(sub.namespace, sub.name): (sub.catalog_namespace, sub.catalog, sub.package) for sub in subs}
    keyed = [(row, places.get((row.namespace, row.subscription), ("", "", ""))) for row in rows]
    found = lifecycles(client, ((*place, row.version) for row, place in keyed if place[2] and row.version))
    return [replace(row, lifecycle=found.get((*place, row.version))) for row, place in keyed]


def _heads(client: ClusterClient, namespace: str, labels: str, whole: bool = False) -> list[TableRow]:
    """Names, labels, annotations and phases; in all namespaces without copies, unless only the user's own can be
    listed.
    """
    type_ = olm.type_of(client, olm.CSVS)
    selector = ",".join(term for term in (labels, "" if namespace else olm.ORIGINALS) if term)
    try:
        table = client.table(type_, namespace, labels=selector, whole=True)
    except Forbidden:
        if namespace or whole:
            raise
        table = client.table(type_, labels=labels)
    return list(_with_phases(table.columns, table.rows))


def _with_phases(columns: Iterable[object], rows: Iterable[TableRow]) -> Iterable[TableRow]:
    names = [str(getattr(column, "name", "")).lower() for column in columns]
    place = names.index("phase") if "phase" in names else -1
    for row in rows:
        phase = text(row.cells[place]) if 0 <= place < len(row.cells) else ""
        row.object.setdefault("status", {})["phase"] = phase
        yield row


def _watching(
    client: ClusterClient, namespace: str, copies: list[TableRow], labels: str, gaps: list[str]
) -> tuple[list[TableRow], bool]:
    """Operators of other namespaces that watch this one; and whether these are all, so that copies need not be
    shown.
    """
    try:
        others = _heads(client, "", labels, whole=True)
    except Forbidden:
        if not copies and _copies_are_off(client):
            gaps.append(
                _(
                    "OLM makes no copies on this cluster (disableCopiedCSVs), and you don't have permission to list"
                    " ClusterServiceVersions in other namespaces, so operators for all namespaces aren't shown."
                )
            )
        return [], False
    found = []
    for row in others:
        targets = olm.targets(row.object)
        if namespace_of(row.object) != namespace and targets is not None and (not targets or namespace in targets):
            found.append(row)
    there = {(namespace_of(row.object), name_of(row.object)) for row in found}
    lost = [row for row in copies if (olm.copied_from(row.object), name_of(row.object)) not in there]
    return [*found, *lost], True


def _copies_are_off(client: ClusterClient) -> bool:
    try:
        config = client.get(client.find(olm.GROUP, "v1", "olmconfigs"), "cluster")
    except KubeError:
        return False
    return read(config, OLMConfig).spec.features.disable_copied_csvs


def operator_row(
    obj: KubeObject,
    known: Summary,
    sub: olm.Subscription | None,
    icon_name: str,
    health: updates.CatalogHealth | None,
) -> Operator:
    """Of a CSV, or of its metadata and phase; with the state that the phase means, and no reason.

    `sub`: the Subscription that keeps it; `health`: of the catalogs, not needed without a Subscription.
    """
    meta = read(obj.get("metadata"), ObjectMeta)
    phase = "Deleting" if meta.deletion_timestamp else olm.phase(obj)
    copied = olm.copied(obj)
    return Operator(
        uid=meta.uid,
        namespace=meta.namespace,
        csv=meta.name,
        title=known.title,
        version=known.version,
        provider=known.provider,
        state={olm.SUCCEEDED: DONE, olm.FAILED: FAILED}.get(phase, RUNNING),
        word=phase_word(phase),
        reason="",
        apis=known.apis,
        subscription=sub.name if sub else "",
        package=sub.package if sub else "",
        channel=sub.channel if sub else "",
        created=meta.creation_timestamp,
        updated=updates.last_written(obj),
        icon_name=icon_name,
        phase=phase,
        targets=None if copied else olm.targets(obj),
        runs_in=olm.copied_from(obj) if copied else "",
        update=updates.update_of(sub, health) if sub and health else None,
        deprecated=tuple(message for _kind, message in sub.deprecations) if sub else (),
    )


def phase_word(phase: str) -> str:
    words = {
        "Succeeded": _("Succeeded"),
        "Failed": _("Failed"),
        "Installing": _("Installing"),
        "InstallReady": _("Install ready"),
        "Pending": _("Pending"),
        "Replacing": _("Being replaced"),
        "Deleting": _("Being removed"),
        "": _("Waiting for OLM"),
        "Unknown": _("Unknown"),
    }
    return words.get(phase, phase)


def _judged(
    client: ClusterClient, rows: list[Operator], subs: Mapping[tuple[str, str], olm.Subscription]
) -> list[Operator]:
    """With the state and the reason of those that are not well, as their own pages say them."""
    unwell = [row for row in rows if row.csv and row.state != DONE][:_REASONS]
    plans = {place: sub.plan for place, sub in subs.items()}
    places = [(row.namespace, row.csv) for row in unwell]
    found = updates.version_states(client, [(*place, plans.get(place, "")) for place in places])
    return [with_state(row, *found.get((row.namespace, row.csv), ("", row.reason))) for row in rows]


def with_state(row: Operator, state: str, reason: str) -> Operator:
    """`state` '' leaves the one that the phase means."""
    if state in ("", row.state):
        return replace(row, reason=reason)
    word = _("Failed") if state == FAILED else _("OLM is retrying") if row.state == FAILED else row.word
    return replace(row, state=state, word=word, reason=reason)


def _coming(
    sub: olm.Subscription, icons: Mapping[tuple[str, str, str], str], health: updates.CatalogHealth
) -> Operator:
    state, word, reason = RUNNING, _("Installing"), ""
    if sub.waits:
        state, word = ASKS, _("Waiting for approval")
    elif problem := install_state.subscription_problem(sub) or (not sub.current_csv and health.problem(sub)):
        state, word, reason = FAILED, _("Installation failed"), problem
    return Operator(
        uid=sub.uid,
        namespace=sub.namespace,
        csv="",
        title=sub.package,
        version="",
        provider="",
        state=state,
        word=word,
        reason=reason,
        apis=(),
        subscription=sub.name,
        package=sub.package,
        channel=sub.channel,
        created=sub.created,
        updated=sub.created,
        icon_name=_icon(icons, sub),
        phase="",
        deprecated=tuple(message for _kind, message in sub.deprecations),
    )


def _subscriptions(client: ClusterClient, where: str, namespace: str, gaps: list[str]) -> tuple[olm.Subscription, ...]:
    for place in dict.fromkeys((where, namespace)):
        try:
            return tuple(map(olm.subscription, client.list(olm.type_of(client, olm.SUBSCRIPTIONS), place).items))
        except Forbidden:
            continue
    gaps.append(
        _(
            "You don't have permission to list Subscriptions in this namespace, so updates and installs that haven't"
            " started aren't shown."
        )
    )
    return ()


def subscriptions(client: ClusterClient, namespace: str) -> tuple[olm.Subscription, ...]:
    """Those of a namespace; empty if the user can't list them."""
    return _subscriptions(client, namespace, namespace, [])


def icon_of(client: ClusterClient, sub: olm.Subscription | None) -> str:
    """The name of the package's icon, '' where it has none."""
    return _icon(_icons(client.name, {sub.package}), sub) if sub else ""


def _icon(icons: Mapping[tuple[str, str, str], str], sub: olm.Subscription | None) -> str:
    return icons.get((sub.catalog_namespace, sub.catalog, sub.package), "") if sub else ""


def _icons(cluster: str, packages: set[str]) -> dict[tuple[str, str, str], str]:
    rows = Package.objects.filter(cluster=cluster, name__in=packages).values_list(
        "pk", "namespace", "catalog", "name", "icon"
    )
    return {(namespace, catalog, name): icon or f"p-{pk}" for pk, namespace, catalog, name, icon in rows if icon != "-"}


def served(client: ClusterClient) -> bool:
    """Whether this cluster has OLM."""
    try:
        return olm.served(client)
    except NotFound:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """`failed`, `asking`: the first failed ones and the first that need approval; the numbers count all."""

    total: int
    succeeded: int
    working: int
    failed: tuple[Operator, ...]
    asking: tuple[Operator, ...]
    failures: int
    questions: int


def totals(operators: Iterable[Operator]) -> Totals:
    """Copies are counted where they run only."""
    own = [operator for operator in operators if not operator.runs_in]
    counts = Counter(operator.state for operator in own)
    failed = tuple(operator for operator in own if operator.state == FAILED)
    # An update that waits for approval asks too, although the present version runs well.
    asking = tuple(
        operator
        for operator in own
        if operator.state == ASKS or (operator.update is not None and operator.update.state == ASKS)
    )
    return Totals(
        total=len(own),
        succeeded=counts[DONE],
        working=counts[RUNNING],
        failed=failed[:_MAX_NAMED_OPERATORS],
        asking=asking[:_MAX_NAMED_OPERATORS],
        failures=len(failed),
        questions=len(asking),
    )


def summary(obj: KubeObject) -> Summary:
    """Of a whole object."""
    meta, desc = read(obj.get("metadata"), ObjectMeta), read(obj.get("spec"), CSVDescription)
    return Summary(
        desc.display_name or meta.name,
        desc.version,
        desc.provider.name,
        csv.provided(desc, meta.annotations),
    )


#: By cluster, uid and generation.
_summaries: LRUCache[tuple[str, str, int | None], Summary] = LRUCache(MAX_SUMMARIES)


def summaries(client: ClusterClient, heads: Iterable[KubeObject], namespace: str) -> Mapping[str, Summary]:
    """By uid, of objects whose metadata is known.

    One that is deleted meanwhile, or that the user can't read, is described by its name.
    """
    found: dict[str, Summary] = {}
    missing: list[KubeObject] = []
    with _lock:
        for head in heads:
            if cached := _summaries.get(_summary_key(client, head)):
                found[uid_of(head)] = cached
            else:
                missing.append(head)
    read_objects = _singly if len(missing) <= _SINGLY else _by_pages
    for obj in read_objects(client, missing, namespace):
        found[uid_of(obj)] = _keep_summary(client, obj)
    for head in missing:
        found.setdefault(uid_of(head), Summary(name_of(head), "", "", ()))
    return found


def _summary_key(client: ClusterClient, head: KubeObject) -> tuple[str, str, int | None]:
    meta = read(head.get("metadata"), ObjectMeta)
    return client.host, meta.uid, meta.generation


def _keep_summary(client: ClusterClient, obj: KubeObject) -> Summary:
    made = summary(obj)
    with _lock:
        _summaries[_summary_key(client, obj)] = made
    return made


def _singly(client: ClusterClient, heads: list[KubeObject], namespace: str) -> Iterable[KubeObject]:
    type_ = olm.type_of(client, olm.CSVS)

    def get(head: KubeObject) -> KubeObject | None:
        try:
            return client.get(type_, name_of(head), namespace_of(head))
        except KubeError:
            return None

    return [item for item in _workers.map(get, heads) if item]


def _by_pages(client: ClusterClient, heads: list[KubeObject], namespace: str) -> Iterable[KubeObject]:
    type_ = olm.type_of(client, olm.CSVS)
    token = ""
    while True:
        page = client.list(type_, namespace, labels=olm.ORIGINALS, limit=_PAGE, continue_=token)
        yield from page.items
        token = page.continue_
        if not token:
            return
