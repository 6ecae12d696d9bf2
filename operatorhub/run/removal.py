"""Removes a run: every object with its label, in an order that lets the operator clean up.

Instances first if selected (the operator still handles their finalizers), then the CSV, so that OLM stops the operator,
then the other objects of the run, and CRDs and the namespace if selected. Each object is deleted by its uid, so that a
newer one of the same name is kept.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from kube.client import ClusterClient
from kube.discovery import ResourceType, qualified
from kube.errors import KubeError, NotFound
from kube.kubectl import Command, Commands
from kube.objects import KubeObject, name_of, namespace_of, uid_of
from operatorhub.install.created_objects import DeletionTarget, Removed, remove
from operatorhub.run.plan import RUN, run_name

#: What a bundle may bring, in the order in which it goes.
KINDS = (
    ("operators.coreos.com", "clusterserviceversions"),
    ("", "services"),
    ("", "configmaps"),
    ("", "secrets"),
    ("rbac.authorization.k8s.io", "rolebindings"),
    ("rbac.authorization.k8s.io", "roles"),
    ("rbac.authorization.k8s.io", "clusterrolebindings"),
    ("rbac.authorization.k8s.io", "clusterroles"),
    ("", "serviceaccounts"),
    ("policy", "poddisruptionbudgets"),
    ("scheduling.k8s.io", "priorityclasses"),
    ("networking.k8s.io", "networkpolicies"),
    ("monitoring.coreos.com", "servicemonitors"),
    ("monitoring.coreos.com", "prometheusrules"),
    ("operators.coreos.com", "operatorgroups"),
    ("apiextensions.k8s.io", "customresourcedefinitions"),
    ("", "namespaces"),
)
#: Seconds that a request waits for instances whose finalizers run.
_WAIT = 15.0
Done = Callable[[str, str], None]


@dataclass(frozen=True, slots=True)
class RunKind:
    """A CustomResourceDefinition of the run; `instances` of all namespaces, None if the user can't count them."""

    target: DeletionTarget
    instances: tuple[DeletionTarget, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """The objects to remove. `unread`: kinds that the user can't list here, so that objects can remain."""

    package: str
    namespace: str
    objects: tuple[DeletionTarget, ...]
    kinds: tuple[RunKind, ...]
    space: DeletionTarget | None
    unread: tuple[str, ...] = ()

    @property
    def instances(self) -> int:
        return sum(len(kind.instances or ()) for kind in self.kinds)

    @property
    def kubectl(self) -> Commands:
        """As take(). The page ticks the kinds at first."""
        operands, kinds, space = (frozenset({name}) for name in ("operands", "kinds", "space"))
        found = [Command(line, (operands,)) for kind in self.kinds for line in _deletions(kind.instances or ())]
        found += [Command(target.kubectl) for target in self.objects]
        found += [
            Command(kind.target.kubectl, (kinds, operands) if kind.instances else (kinds,))
            for kind in self.kinds
            if kind.instances is not None
        ]
        found += [Command(self.space.kubectl, (space,))] if self.space else []
        return Commands(tuple(found), kinds)


def _deletions(instances: Iterable[DeletionTarget]) -> Iterator[str]:
    """One command for each namespace."""
    by_namespace: dict[str, list[DeletionTarget]] = {}
    for instance in instances:
        by_namespace.setdefault(instance.namespace, []).append(instance)
    for namespace, targets in by_namespace.items():
        kind = qualified(targets[0].plural, targets[0].group)
        names = " ".join(target.name for target in targets)
        yield f"kubectl delete {kind} {names}{f' -n {namespace}' if namespace else ''} --ignore-not-found"


def find_objects(client: ClusterClient, namespace: str, package: str) -> Removal:
    """Everything with the run's label.

    Kinds that the cluster doesn't serve are skipped; so are those that the user can't list, which are recorded.
    """
    label = f"{RUN}={run_name(package, namespace)}"
    objects: list[DeletionTarget] = []
    kinds: list[RunKind] = []
    space: DeletionTarget | None = None
    unread: list[str] = []
    for group, plural in KINDS:
        try:
            type_ = client.find(group, "", plural)
            rows = client.table(type_, namespace if type_.namespaced else "", labels=label).rows
        except NotFound:
            continue
        except KubeError:
            unread.append(qualified(plural, group))
            continue
        for row in rows:
            target = _target(type_, row.object)
            if plural == "customresourcedefinitions":
                kinds.append(RunKind(target, _instances(client, target.name)))
            elif plural == "namespaces":
                space = target
            else:
                objects.append(target)
    return Removal(
        package=package,
        namespace=namespace,
        objects=tuple(objects),
        kinds=tuple(kinds),
        space=space,
        unread=tuple(unread),
    )


def _target(type_: ResourceType, obj: KubeObject) -> DeletionTarget:
    return DeletionTarget(
        group=type_.group,
        version=type_.version,
        plural=type_.plural,
        kind=type_.kind,
        namespace=namespace_of(obj),
        name=name_of(obj),
        uid=uid_of(obj),
    )


def _instances(client: ClusterClient, crd: str) -> tuple[DeletionTarget, ...] | None:
    plural, _dot, group = crd.partition(".")
    try:
        type_ = client.find(group, "", plural)
        return tuple(_target(type_, row.object) for row in client.table(type_, whole=True).rows)
    except NotFound:
        return ()
    except KubeError:
        return None


def take(
    client: ClusterClient, found: Removal, *, operands: bool, kinds: bool, space: bool, done: Done
) -> tuple[Removed, ...]:
    """Without `operands` a kind that has instances stays, with them.

    Stops before the operator if instances remain: only it handles their finalizers.
    """
    results: list[Removed] = []
    if operands:
        wanted = [instance for kind in found.kinds for instance in kind.instances or ()]
        results += remove(client, wanted, done)
        if wanted and (held := [*_held(client, wanted)]):
            return (*results, *(Removed(target, "held") for target in held))
    results += remove(client, found.objects, done)
    if kinds:
        results += remove(client, [kind.target for kind in found.kinds if operands or kind.instances == ()], done)
    if space and found.space is not None:
        results += remove(client, [found.space], done)
    return tuple(results)


def _held(client: ClusterClient, wanted: list[DeletionTarget]) -> Iterator[DeletionTarget]:
    """Those that are still there after some seconds, because of finalizers."""
    left, until = list(wanted), time.monotonic() + _WAIT
    while left:
        left = [target for target in left if _is_there(client, target)]
        if not left or time.monotonic() > until:
            break
        time.sleep(0.1)
    yield from left


def _is_there(client: ClusterClient, target: DeletionTarget) -> bool:
    try:
        obj = client.get(client.find(target.group, target.version, target.plural), target.name, target.namespace)
    except NotFound:
        return False
    except KubeError:
        return True
    return uid_of(obj) == target.uid
