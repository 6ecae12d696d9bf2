"""What goes on around an act: one request, or one task of the worker, with what it sends to the cluster and what is
noted of it.

Acts are written down together at its end. What was sent and noted by nobody is an act all the same: it is noted then,
so that nothing is left out because a view forgot it.
"""

from dataclasses import dataclass, field

from console.audit.about import named
from console.audit.models import AuditEntry
from kube.recording import Recording, Target, Write


@dataclass(frozen=True, slots=True)
class Where:
    """`source`: page, api or worker.

    `address`: of the client, as the server in front says it. `groups`: of who asks, as far as they are known.
    """

    source: str = ""
    address: str = ""
    request_id: str = ""
    groups: tuple[str, ...] = ()


@dataclass(slots=True)
class Scene:
    """`claimed`: writes that somebody noted, by their place in `sent.writes`. `entries` wait to be written."""

    where: Where
    sent: Recording
    claimed: set[int] = field(default_factory=set)
    seen: int = 0
    by_target: dict[tuple[str, str, str], list[int]] = field(default_factory=dict)
    entries: list[AuditEntry] = field(default_factory=list)

    def claim(self, found: Target | None) -> Write | None:
        """The newest write to that object which nobody has noted; all older ones to it belong to the same act.

        None: to any object, the first of them.
        """
        self._look()
        if found is None:
            free = (number for number in range(self.seen) if number not in self.claimed)
            if (first := next(free, None)) is None:
                return None
            found = named(self.sent.writes[first])
        numbers = self.by_target.get(_key(found), [])
        mine = [number for number in numbers if number not in self.claimed]
        self.claimed.update(mine)
        return self.sent.writes[mine[-1]] if mine else None

    def unclaimed(self) -> list[Write]:
        self._look()
        return [self.sent.writes[number] for number in range(self.seen) if number not in self.claimed]

    def _look(self) -> None:
        for number in range(self.seen, len(self.sent.writes)):
            self.by_target.setdefault(_key(named(self.sent.writes[number])), []).append(number)
        self.seen = len(self.sent.writes)


def _key(found: Target) -> tuple[str, str, str]:
    return (f"{found.plural}.{found.group}", found.namespace, found.name)
