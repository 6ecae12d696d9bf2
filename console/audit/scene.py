"""The context of acts: one request or one worker task, with its writes to the cluster and the recorded acts.

Acts are saved together at its end. A write that no view recorded becomes an act as well, so that none is missing
because a view forgot it.
"""

from dataclasses import dataclass, field

from console.audit.act_target import named
from console.audit.models import AuditEntry
from kube.recording import Recording, RequestTarget, Write


@dataclass(frozen=True, slots=True)
class Where:
    """`source`: page, api or worker.

    `address`: of the client, as the server in front says it. `groups`: of who asks, as far as they are known.
    """

    source: str = ""
    address: str = ""
    request_id: str = ""
    groups: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class Scene:
    """`claimed`: indices of recorded writes in `sent.writes`. `entries` wait to be saved."""

    where: Where
    sent: Recording
    claimed: set[int] = field(default_factory=set)
    seen: int = 0
    by_target: dict[tuple[str, str, str], list[int]] = field(default_factory=dict)
    entries: list[AuditEntry] = field(default_factory=list)

    def claim(self, found: RequestTarget | None) -> Write | None:
        """The newest unclaimed write to the object; all older ones to it belong to the same act.

        `found` None: the first unclaimed write to any object.
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


def _key(found: RequestTarget) -> tuple[str, str, str]:
    return (f"{found.plural}.{found.group}", found.namespace, found.name)
