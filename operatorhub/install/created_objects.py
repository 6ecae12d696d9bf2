"""The objects of an install: created one after the other (create) or as a dry run, found again later (find_traces), and
deleted (remove).

Nothing is stored: the annotation on the Subscription says which Namespace, OperatorGroup and roles were created with
it, and the steps of its InstallPlan say which objects OLM created and which it found. Each object is deleted by its
uid, so objects that were created since are kept.

Deletion order: first the Subscription, so that OLM doesn't install again; then ClusterServiceVersions (OLM removes
their Deployments, ServiceAccounts and roles), then CRDs that the plan created, and last the OperatorGroup and the
Namespace. CRDs with objects aren't ticked.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from kube.client import ClusterClient
from kube.discovery import ResourceType, qualified
from kube.errors import AlreadyExists, Conflict, KubeError, NotFound
from kube.kubectl import Command, Commands
from kube.objects import KubeObject, name_of, namespace_of, uid_of
from kube.reader import read
from kube.types.meta import Object
from kube.types.olm import InstallPlan, Step
from operatorhub import olm
from operatorhub.install.objects import made_with, title, with_made

_CRDS = ("apiextensions.k8s.io", "v1", "customresourcedefinitions")
#: On a Subscription that OLM made for a dependency: the InstallPlan that did.
GENERATED_BY = "olm.generated-by"
#: On a CRD, by OLM: "<namespace>/<csv>" of an operator that brought it.
ALONGSIDE = "operatorframework.io/installed-alongside-"
#: Called with an object's name in the audit log and the outcome.
Done = Callable[[str, str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletionTarget:
    """One object to be deleted.

    `why`: why it belongs to the install; `keeps`: why it had better stay, '' where nothing speaks for that.
    """

    group: str
    version: str
    plural: str
    kind: str
    namespace: str
    name: str
    uid: str
    why: str = ""
    keeps: str = ""

    @property
    def token(self) -> str:
        """All that is needed to delete it, as a form's value."""
        return "|".join((self.group, self.version, self.plural, self.kind, self.namespace, self.name, self.uid))

    @property
    def ref(self) -> str:
        return f"{self.group or 'core'}/{self.version}/{self.plural} {self.namespace}/{self.name}"

    @property
    def kubectl(self) -> str:
        """As remove(): objects that are already gone aren't errors."""
        place = f" -n {self.namespace}" if self.namespace else ""
        return f"kubectl delete {qualified(self.plural, self.group)} {self.name}{place} --ignore-not-found"


def kubectl(offered: Iterable[DeletionTarget]) -> Commands:
    """What a page does that offers each of them with a checkbox; those that nothing `keeps` are ticked at first."""
    found = tuple(offered)
    commands = tuple(Command(target.kubectl, (frozenset({target.token}),)) for target in found)
    return Commands(commands, frozenset(target.token for target in found if not target.keeps))


@dataclass(frozen=True, slots=True)
class Removed:
    """What came of deleting one object.

    `outcome`: removed, gone (it was away already), replaced (another object of that name: left alone), refused, held
    (a Namespace with an object that was refused: its deletion would never end).
    """

    target: DeletionTarget
    outcome: str
    error: KubeError | None = None


def targets(tokens: Iterable[str]) -> tuple[DeletionTarget, ...]:
    """Back from what a form carried; what makes no sense is left out."""
    found = []
    for token in tokens:
        parts = token.split("|")
        if len(parts) != 7:
            continue
        group, version, plural, kind, namespace, name, uid = parts
        if version and plural and kind and name and uid:
            found.append(
                DeletionTarget(
                    group=group,
                    version=version,
                    plural=plural,
                    kind=kind,
                    namespace=namespace,
                    name=name,
                    uid=uid,
                )
            )
    return tuple(found)


def remove(client: ClusterClient, wanted: Iterable[DeletionTarget], done: Done) -> tuple[Removed, ...]:
    """In the given order; one that is refused does not hold up the others."""
    found: list[Removed] = []
    for target in wanted:
        outcome, problem = "removed", None
        if target.plural == "namespaces" and any(
            item.outcome == "refused" and item.target.namespace == target.name for item in found
        ):
            done(target.ref, "held")
            found.append(Removed(target, "held"))
            continue
        try:
            type_ = client.find(target.group, target.version, target.plural)
            client.delete(type_, target.name, target.namespace, uid=target.uid, propagation="Background")
        except NotFound:
            outcome = "gone"
        except Conflict:
            outcome = "replaced"
        except KubeError as error:
            outcome, problem = "refused", error
        done(target.ref, "ok" if outcome == "removed" else problem.reason if problem else outcome)
        found.append(Removed(target, outcome, problem))
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Traces:
    """`targets`: to be removed; those that `keeps` speaks for are not ticked.

    `stays`: what is not offered, in words.
    """

    namespace: str
    subscription: str
    package: str
    targets: tuple[DeletionTarget, ...]
    stays: tuple[str, ...]

    @property
    def kubectl(self) -> Commands:
        return kubectl(self.targets)


def find_traces(client: ClusterClient, namespace: str, name: str) -> Traces:
    """Raises NotFound if there is no such Subscription, Forbidden if the user can't read it."""
    obj = client.get(olm.type_of(client, olm.SUBSCRIPTIONS), name, namespace)
    sub = olm.subscription(obj)
    plan = _maybe(lambda: client.get(olm.type_of(client, olm.PLANS), sub.plan, namespace)) if sub.plan else None
    steps = read(plan, InstallPlan).status.plan
    found = [_target(obj, olm.GROUP, olm.VERSION, olm.SUBSCRIPTIONS, _("created by this install"))]
    found += [
        _target(other, olm.GROUP, olm.VERSION, olm.SUBSCRIPTIONS, _("created by OLM for a dependency"))
        for other in _dependencies(client, namespace, sub.plan)
    ]
    stays: list[str] = []
    found += _versions(client, namespace, sub, steps)
    found += _definitions(client, namespace, steps, stays)
    found += _around(client, namespace, obj, stays)
    return Traces(namespace=namespace, subscription=name, package=sub.package, targets=tuple(found), stays=tuple(stays))


def _maybe(read: Callable[[], KubeObject]) -> KubeObject | None:
    try:
        return read()
    except KubeError:
        return None


def _target(obj: KubeObject, group: str, version: str, plural: str, why: str, keeps: str = "") -> DeletionTarget:
    found = read(obj, Object)
    return DeletionTarget(
        group=group,
        version=version,
        plural=plural,
        kind=found.kind,
        namespace=found.metadata.namespace,
        name=found.metadata.name,
        uid=found.metadata.uid,
        why=why,
        keeps=keeps,
    )


def _dependencies(client: ClusterClient, namespace: str, plan: str) -> Iterator[KubeObject]:
    try:
        found = client.list(olm.type_of(client, olm.SUBSCRIPTIONS), namespace).items if plan else []
    except KubeError:
        return
    for item in found:
        if read(item, Object).metadata.annotations.get(GENERATED_BY) == plan:
            yield item


def _versions(
    client: ClusterClient, namespace: str, sub: olm.Subscription, steps: Iterable[Step]
) -> Iterator[DeletionTarget]:
    """The ClusterServiceVersions of its plan; without one, those that the Subscription names."""
    planned = [step.resource.name for step in steps if step.resource.kind == "ClusterServiceVersion"]
    names = dict.fromkeys([*planned, *(name for name in (sub.current_csv, sub.installed_csv) if name)])
    for name in names:
        obj = _maybe(lambda name=name: client.get(olm.type_of(client, olm.CSVS), name, namespace))  # type: ignore[misc]
        if obj is not None:
            why = _("the operator; OLM also removes its Deployments, ServiceAccounts and roles")
            yield _target(obj, olm.GROUP, olm.VERSION, olm.CSVS, why)


def _definitions(
    client: ClusterClient, namespace: str, steps: Iterable[Step], stays: list[str]
) -> Iterator[DeletionTarget]:
    """CRDs that the plan created. Those that were there before it are not ours to take."""
    seen: set[str] = set()
    for step in steps:
        kind, name = step.resource.kind, step.resource.name
        if kind != "CustomResourceDefinition" or name in seen or step.status not in ("Created", "Present"):
            continue
        seen.add(name)
        if step.status == "Present":
            stays.append(_("CustomResourceDefinition %(name)s: existed before this install") % {"name": name})
            continue
        try:
            rows = client.table(client.find(*_CRDS), fields=f"metadata.name={name}").rows
        except KubeError:
            continue
        for row in rows:
            meta: dict[str, Any] = {"kind": kind, "metadata": row.object["metadata"]}
            plural, _dot, group = name.partition(".")
            count = _count(client, group, plural)
            keeps = ""
            if others := _other_owners(row.object, namespace):
                keeps = _("also owned by other operators: %(names)s") % {"names": ", ".join(others)}
            elif count is None:
                keeps = _("couldn't check whether objects of this resource type exist")
            elif count:
                keeps = ngettext(
                    "%(count)d object of this resource type exists and would be deleted too",
                    "%(count)d objects of this resource type exist and would be deleted too",
                    count,
                ) % {"count": count}
            yield _target(meta, *_CRDS, _("created by this install"), keeps)


def _other_owners(crd: KubeObject, namespace: str) -> tuple[str, ...]:
    """namespace/CSV of the operators elsewhere that brought the kind too, as OLM notes them on it."""
    annotations = read(crd, Object).metadata.annotations
    found = {value for key, value in annotations.items() if key.startswith(ALONGSIDE)}
    return tuple(sorted(owner for owner in found if owner.partition("/")[0] != namespace))


def _count(client: ClusterClient, group: str, plural: str) -> int | None:
    try:
        page = client.table(client.find(group, "", plural), limit=1, include="None", whole=True)
    except NotFound:
        return 0
    except KubeError:
        return None
    return len(page.rows) + (page.remaining or 0)


def _around(client: ClusterClient, namespace: str, sub: KubeObject, stays: list[str]) -> Iterator[DeletionTarget]:
    """The OperatorGroup and the Namespace, where the note says that they were made for it and they are still the
    same ones.
    """
    noted = made_with(sub)
    others = [name for name in _neighbours(client, namespace) if name != name_of(sub)]
    for kind, group, version, plural in (
        ("RoleBinding", "rbac.authorization.k8s.io", "v1", "rolebindings"),
        ("Role", "rbac.authorization.k8s.io", "v1", "roles"),
        ("OperatorGroup", olm.GROUP, "v1", "operatorgroups"),
        ("Namespace", "", "v1", "namespaces"),
    ):
        if kind not in noted:
            if kind in ("OperatorGroup", "Namespace"):
                stays.append(_("%(kind)s: not created by this install") % {"kind": kind})
            continue
        obj = _by_uid(
            client=client,
            group=group,
            version=version,
            plural=plural,
            place="" if kind == "Namespace" else namespace,
            name=namespace,
            uid=noted[kind],
        )
        if obj is None:
            continue
        keeps = _("other operators are in this namespace: %(names)s") % {"names": ", ".join(others)} if others else ""
        why = _("created by this install, with its contents") if kind == "Namespace" else _("created by this install")
        yield _target(obj={"kind": kind, **obj}, group=group, version=version, plural=plural, why=why, keeps=keeps)


def _neighbours(client: ClusterClient, namespace: str) -> list[str]:
    try:
        found = client.list(olm.type_of(client, olm.SUBSCRIPTIONS), namespace).items
    except KubeError:
        return []
    metas = [read(item, Object).metadata for item in found]
    return [meta.name for meta in metas if not meta.annotations.get(GENERATED_BY)]


def _by_uid(
    client: ClusterClient, group: str, version: str, plural: str, place: str, name: str, uid: str
) -> KubeObject | None:
    """The object with that uid: the namespace itself, or one in it."""
    try:
        type_ = client.find(group, version, plural)
        found = client.list(type_, place).items if place else [client.get(type_, name)]
    except KubeError:
        return None
    return next((item for item in found if uid_of(item) == uid), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateResult:
    """What the API server says to one object.

    `outcome`: ok, present, waits (its namespace is not there yet), refused, untried.
    """

    kind: str
    name: str
    namespace: str
    outcome: str
    error: KubeError | None = None
    made: KubeObject | None = None

    @property
    def title(self) -> str:
        return f"{self.kind} {self.name}"


@dataclass(frozen=True, slots=True)
class Made:
    """What a create did: the objects that exist now because of it, and the error that ended it, if one did."""

    answers: tuple[CreateResult, ...]
    created: tuple[DeletionTarget, ...]
    error: KubeError | None = None

    @property
    def refused(self) -> str:
        """The object that was refused."""
        return next((answer.title for answer in self.answers if answer.outcome == "refused"), "")


def create(
    client: ClusterClient, objects: Iterable[KubeObject], done: Done, earlier: Iterable[DeletionTarget] = ()
) -> Made:
    """In the given order; calls `done(ref, outcome)` for each. Stops at the first refusal and reports what was created
    before, also by `earlier` attempts.

    The Subscription, which comes last, gets a note of what was made with it, so that an undo knows at any later time.
    """
    answers: list[CreateResult] = []
    created = list(earlier)
    for obj in objects:
        kind, name, namespace = obj["kind"], name_of(obj), namespace_of(obj)
        result = partial(CreateResult, kind=kind, name=name, namespace=namespace)
        if any(answer.error for answer in answers):
            answers.append(result(outcome="untried"))
            continue
        if obj["kind"] == "Subscription":
            here = (target for target in created if (target.namespace or target.name) == namespace)
            obj = with_made(obj, {target.kind: target.uid for target in here})
        type_, ref = None, title(obj)
        try:
            type_ = client.type_of(obj)
            ref = _audit_ref(type_, obj)
            made = client.create(type_, obj, namespace_of(obj))
        except AlreadyExists as error:
            # Created by another client in the meantime: use it.
            same = obj["kind"] == "Namespace"
            answers.append(result(outcome="present") if same else result(outcome="refused", error=error))
            done(ref, error.reason)
        except KubeError as error:
            answers.append(result(outcome="refused", error=error))
            done(ref, error.reason)
        else:
            answers.append(result(outcome="ok", made=made))
            created.append(
                DeletionTarget(
                    group=type_.group,
                    version=type_.version,
                    plural=type_.plural,
                    kind=type_.kind,
                    namespace=namespace,
                    name=name,
                    uid=uid_of(made),
                )
            )
            done(ref, "ok")
    return Made(tuple(answers), tuple(created), next((answer.error for answer in answers if answer.error), None))


def _audit_ref(type_: ResourceType, obj: KubeObject) -> str:
    """How the audit log names an object."""
    return f"{type_.group_or_core}/{type_.version}/{type_.plural} {namespace_of(obj)}/{name_of(obj)}"


def dry_run(client: ClusterClient, objects: Iterable[KubeObject]) -> tuple[CreateResult, ...]:
    """What the API server would say to each object.

    One in a namespace that is not there yet waits for it: that can't be tried before.
    """
    answers: list[CreateResult] = []
    coming: set[str] = set()
    for obj in objects:
        kind, name, namespace = obj["kind"], name_of(obj), namespace_of(obj)
        result = partial(CreateResult, kind=kind, name=name, namespace=namespace)
        try:
            made = client.create(client.type_of(obj), obj, namespace_of(obj), dry_run=True)
        except NotFound as error:
            waits = namespace in coming
            answers.append(result(outcome="waits") if waits else result(outcome="refused", error=error))
        except KubeError as error:
            answers.append(result(outcome="refused", error=error))
        else:
            answers.append(result(outcome="ok", made=made))
            if obj["kind"] == "Namespace":
                coming.add(name)
    return tuple(answers)
