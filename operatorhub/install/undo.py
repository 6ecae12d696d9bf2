"""Undoes an install: deletes exactly the objects that it created, each by its uid, so that objects created since are
kept.

What belongs to one is found at the moment it is asked for: the note on the Subscription says which Namespace and
OperatorGroup were made with it; the steps of its InstallPlan say what OLM created rather than found.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from kube.client import ClusterClient
from kube.discovery import qualified
from kube.errors import Conflict, KubeError, NotFound
from kube.kubectl import Command, Commands


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
    """What came of one.

    `outcome`: removed, gone (it was away already), replaced (another object of that name: left alone), refused.
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


def remove(
    client: ClusterClient, wanted: Iterable[DeletionTarget], done: Callable[[str, str], None]
) -> tuple[Removed, ...]:
    """In the given order; one that is refused does not hold up the others."""
    found = []
    for target in wanted:
        outcome, problem = "removed", None
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
