"""Making the objects of an install one after the other, or only asking the API server what it would say to each (dry
run).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import AlreadyExists, KubeError, NotFound
from kube.objects import KubeObject, name_of, namespace_of, uid_of
from operatorhub.install.objects import title, with_made
from operatorhub.install.undo import DeletionTarget

Done = Callable[[str, str], None]


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
    """What came of it: the objects that exist now because of it, and the error that ended it, if one did."""

    answers: tuple[CreateResult, ...]
    created: tuple[DeletionTarget, ...]
    error: KubeError | None = None

    @property
    def refused(self) -> str:
        """The object that was refused."""
        return next((answer.title for answer in self.answers if answer.outcome == "refused"), "")


def place_of(type_: ResourceType, obj: KubeObject) -> str:
    """How the audit log names an object."""
    return f"{type_.group_or_core}/{type_.version}/{type_.plural} {namespace_of(obj)}/{name_of(obj)}"


def create(client: ClusterClient, objects: Iterable[KubeObject], done: Done) -> Made:
    """In the given order; calls `done(ref, outcome)` for each. Stops at the first refusal and reports what was created
    before.

    The Subscription, which comes last, gets a note of what was made with it, so that an undo knows at any later time.
    """
    answers: list[CreateResult] = []
    created: list[DeletionTarget] = []
    for obj in objects:
        kind, name, namespace = obj["kind"], name_of(obj), namespace_of(obj)
        result = partial(CreateResult, kind=kind, name=name, namespace=namespace)
        if any(answer.error for answer in answers):
            answers.append(result(outcome="untried"))
            continue
        if obj["kind"] == "Subscription":
            obj = with_made(obj, {target.kind: target.uid for target in created})
        type_, ref = None, title(obj)
        try:
            type_ = client.type_of(obj)
            ref = place_of(type_, obj)
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
