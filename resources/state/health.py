"""One word for the state of any object, and why: Ready, Completed, Progressing, Degraded, Suspended, Terminating or
Unknown.

Kinds of Kubernetes and OLM have rules of their own (resources/state/kind_health.py). All others are read by the
conventions that operators follow: deletionTimestamp, conditions, observedGeneration, and a phase or state in words.
Nothing an operator writes is trusted to have a shape: what can't be read is left out, never an error. A kind without
any state (a ConfigMap) has none: the word is ''.
https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from kube.objects import mapping, text
from kube.reader import read, read_list
from kube.types import meta
from kube.types.meta import ObjectMeta, TypicalObject, TypicalStatus

READY = "Ready"
COMPLETED = "Completed"
PROGRESSING = "Progressing"
DEGRADED = "Degraded"
SUSPENDED = "Suspended"
TERMINATING = "Terminating"
UNKNOWN = "Unknown"

LABELS = {
    READY: gettext_lazy("Ready"),
    COMPLETED: gettext_lazy("Completed"),
    PROGRESSING: gettext_lazy("Progressing"),
    DEGRADED: gettext_lazy("Degraded"),
    SUSPENDED: gettext_lazy("Suspended"),
    TERMINATING: gettext_lazy("Terminating"),
    UNKNOWN: gettext_lazy("Unknown"),
}
# PatternFly's label colours and our icons.
_LOOKS = {
    READY: ("green", "success"),
    COMPLETED: ("grey", "success"),
    PROGRESSING: ("blue", "progress"),
    DEGRADED: ("red", "error"),
    SUSPENDED: ("purple", "info"),
    TERMINATING: ("orange", "progress"),
    UNKNOWN: ("grey", "info"),
}
# Words that operators put into status.phase, status.state and so on, in lower case and without spaces.
_WORDS = {
    READY: (
        "ready running available active succeeded success complete bound healthy deployed installed created established"
        " atlatestknown synced ok online up reconciled provisioned connected accepted valid stable normal done true"
    ),
    COMPLETED: "completed finished",
    DEGRADED: (
        "failed failure error degraded crashloopbackoff lost unhealthy invalid imagepullbackoff errimagepull oomkilled"
        " evicted offline down missing stalled createcontainerconfigerror runcontainererror invalidimagename"
        " containercannotrun deadlineexceeded backoff aborted rejected denied refused blocked broken conflict"
        " conflicted corrupted dead quarantined unavailable outofsync upgradefailed partiallyfailed failedvalidation"
        " createfailed updatefailed expired timedout installfailed createcontainererror errored"
    ),
    PROGRESSING: (
        "progressing creating pending updating upgrading initializing scaling installing installready reconciling"
        " containercreating podinitializing starting provisioning restarting waiting inprogress processing deploying"
        " configuring rollout upgradepending upgradeavailable replacing rebooting restoring notready unschedulable"
        " schedulinggated pausing stopping new planning requiresapproval"
    ),
    SUSPENDED: "suspended paused stopped hibernated idle disabled standby hibernating scaledown",
    TERMINATING: "terminating deleting",
}
_BY_WORD = {word: state for state, words in _WORDS.items() for word in words.split()}
# Zalando's PostgreSQL, Grafana's operator, Flink's.
_RARE = ("PostgresClusterStatus", "stageStatus", "lifecycleState", "printableStatus")
_BAD = (
    "failed",
    "degraded",
    "error",
    "stalled",
    "reconcileerror",
    "failure",
    "replicafailure",
    "faulted",
    "unhealthy",
    "haserrors",
    "irreconcilable",
)
_GOOD = ("ready", "available", "healthy", "reconciled", "deployed", "running", "succeeded", "complete", "established")
# Of what has gone wrong the reason's words tell: ErrorOccurred, ReconcileFailed, InvalidSpec.
_ERROR_WORDS = frozenset(
    (
        "error",
        "errors",
        "err",
        "errored",
        "failed",
        "failure",
        "failing",
        "fail",
        "invalid",
        "fatal",
        "forbidden",
        "unauthorized",
        "denied",
        "rejected",
        "exceeded",
        "degraded",
        "unhealthy",
        "crashed",
        "misconfigured",
    )
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# Conditions whose False, with whatever reason, says nothing of how the object is now: whether it could be upgraded, how
# the last backup went.
_ASIDE = frozenset(("upgradeable", "upgrade", "last", "backup", "backups", "snapshot", "archiving"))
# By what else operators say False with a reason; _GOOD are verdicts too.
_VERDICTS = ("synced", "successful", "valid", "accepted", "configured", "installed", "programmed", "initialized")
_MOVING = ("progressing", "reconciling", "updating", "upgrading", "initializing", "creating", "deploying", "scaling")


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """`state`: one of the words above, '' for a kind that has none.

    `reason`: a few words or a sentence, '' when there is nothing to say.

    `since`: since when, where the object says it (RFC 3339). `ended`: it will not run again, so its owner is not worse
    for it. `below`: said of an object below (resources/state/children.py). `named`: the reason is a sentence that names
    its subject (resources/causes/).
    """

    state: str = ""
    reason: str = ""
    since: str = ""
    ended: bool = False
    below: bool = False
    named: bool = False

    @property
    def label(self) -> str:
        return str(LABELS.get(self.state, self.state))

    @property
    def colour(self) -> str:
        return _LOOKS[self.state][0] if self.state in _LOOKS else "grey"

    @property
    def icon(self) -> str:
        return _LOOKS[self.state][1] if self.state in _LOOKS else "info"


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One entry of status.conditions, with texts only. `good`: True, False, or None where its type does not tell."""

    type: str
    status: str
    reason: str = ""
    message: str = ""
    changed: str = ""
    good: bool | None = None
    #: The metadata.generation that it is about (observedGeneration), None if it has none.
    generation: int | None = None
    severity: str = ""


AnyCondition = TypeVar("AnyCondition", Condition, meta.Condition)


def conditions(obj: Mapping[str, Any]) -> tuple[Condition, ...]:
    """Also of a mapping by type, which some operators write instead of a list, and of entries that lack most of
    their fields.
    """
    return _conditions(read(obj.get("status"), TypicalStatus))


def _conditions(status: TypicalStatus) -> tuple[Condition, ...]:
    found = status.conditions
    if isinstance(found, Mapping):
        found = [
            {"type": key, **(value if isinstance(value, Mapping) else {"status": value})}
            for key, value in found.items()
        ]
    return tuple(_condition(entry) for entry in read_list(found, meta.Condition))


def _condition(entry: meta.Condition) -> Condition:
    type_ = entry.type or entry.phase
    word, good = type_.lower(), None
    if entry.status in ("True", "False"):
        if word.endswith(_BAD):
            good = entry.status == "False"
        elif word.endswith(_GOOD) and not word.startswith("not"):
            good = entry.status == "True"
    return Condition(
        type=type_,
        status=entry.status,
        reason=entry.reason,
        message=entry.message,
        changed=entry.last_transition_time or entry.last_update_time,
        good=good,
        generation=entry.observed_generation,
        severity=entry.severity,
    )


def condition_of(found: Iterable[AnyCondition], type_: str, status: str = "") -> AnyCondition | None:
    """The condition of that type; None where there is none, or it doesn't have the status that is given."""
    first = next((condition for condition in found if condition.type == type_), None)
    return first if first and status in ("", first.status) else None


def by_word(word: str) -> str:
    """The state that a phase's word stands for; '' when that is not known.

    Words with parts ('Init:Error') count by their last.
    """
    plain = word.rpartition(":")[2].replace(" ", "").replace("-", "").replace("_", "").lower()
    return _BY_WORD.get(plain, "")


def colour_of(word: str) -> str:
    """PatternFly's colour for a phase's word, '' for an unknown word."""
    state = by_word(word)
    return _LOOKS[state][0] if state else ""


def terminating(metadata: ObjectMeta) -> Health | None:
    """An object that is going, and what it waits for."""
    if not metadata.deletion_timestamp:
        return None
    names = ", ".join(metadata.finalizers)
    return Health(state=TERMINATING, reason=_("waits for %(finalizers)s") % {"finalizers": names} if names else "")


def _old(condition: Condition, generation: int | None) -> bool:
    """Whether the condition that sums up speaks of an earlier spec (as kstatus judges it)."""
    return condition.type in ("Ready", "Available", "Reconciled") and _is_before(condition, generation)


def _is_before(condition: Condition, generation: int | None) -> bool:
    return condition.generation is not None and generation is not None and condition.generation < generation


def is_error(reason: str) -> bool:
    """Whether a condition's reason names something that went wrong: ErrorOccurred, ReconcileFailed; not NoErrors,
    NotFound or Creating.
    """
    words = [word.lower() for word in _WORD.findall(reason)]
    if not words or words[0] in ("no", "not", "never"):
        return False
    return not _ERROR_WORDS.isdisjoint(words) or by_word(reason) == DEGRADED


def has_failed(condition: Condition, generation: int | None) -> bool:
    """A verdict (Ready, Reconciled, Synced …) that is False because of an error.

    `generation`: the object's. One of an earlier spec may be fixed already.
    """
    if condition.status != "False" or not (is_error(condition.reason) or condition.severity == "Error"):
        return False
    type_ = condition.type.lower()
    if not type_.endswith((*_GOOD, *_VERDICTS)) or type_.startswith("not"):
        return False
    if not _ASIDE.isdisjoint(word.lower() for word in _WORD.findall(condition.type)):
        return False
    return not _is_before(condition, generation)


def error_condition(obj: Mapping[str, Any]) -> Condition | None:
    """The condition by which the object is degraded, whatever its phase says: operators set that once, and the
    condition each time."""
    typical = read(obj, TypicalObject)
    return _error_condition(typical, _conditions(typical.status))


def _error_condition(obj: TypicalObject, found: tuple[Condition, ...]) -> Condition | None:
    bad = (condition for condition in found if condition.good is False and condition.type.lower().endswith(_BAD))
    generation = obj.metadata.generation
    failed = () if obj.is_behind else (condition for condition in found if has_failed(condition, generation))
    return next(bad, None) or next(iter(failed), None)


def by_convention(obj: Mapping[str, Any]) -> Health:
    """By what operators usually write; Unknown for an object whose operator has said nothing yet."""
    typical = read(obj, TypicalObject)
    spec, status = typical.spec, typical.status
    found = _conditions(status)
    if error := _error_condition(typical, found):
        return Health(state=DEGRADED, reason=_why(error), since=error.changed)
    if typical.is_behind or any(_old(condition, typical.metadata.generation) for condition in found):
        return Health(state=PROGRESSING, reason=_("the latest change isn't reconciled yet"))
    word = _phase(obj.get("status"))
    if spec.suspend or spec.paused:
        return Health(state=SUSPENDED, reason=word)
    if state := by_word(word):
        return Health(state=state, reason=_reason(state, found, word))
    if not found and status.ready is not None:
        return Health(state=READY if status.ready else PROGRESSING, reason=word)
    return _by_conditions(found, word)


def _by_conditions(found: tuple[Condition, ...], word: str) -> Health:
    named = {condition.type.lower(): condition for condition in found}
    for type_ in _GOOD:
        condition = named.get(type_)
        if condition is None:
            continue
        if condition.status == "True":
            return Health(state=READY, reason=word)
        # Prometheus says "Available: Degraded". A False with an error's reason was found before.
        return Health(state=DEGRADED if condition.status == "Degraded" else PROGRESSING, reason=_why(condition))
    for type_ in _MOVING:
        if type_ in named and named[type_].status == "True":
            return Health(state=PROGRESSING, reason=_why(named[type_]))
    for condition in found:
        # AllReplicasReady, PrimaryAvailable and the like.
        if condition.good is False:
            return Health(state=PROGRESSING, reason=_why(condition))
    if any(condition.good for condition in found):
        return Health(state=READY, reason=word)
    # FlightTicket's phase "Booked" beside a condition Booked: its operator calls done what this console has no word
    # for.
    if word and word.lower() in named and all(condition.status == "True" for condition in found):
        return Health(state=READY, reason=word)
    return Health(state=UNKNOWN, reason=word or ("" if found else _("its operator hasn't reported a status")))


def _phase(status: Any) -> str:
    """The word an operator uses for the whole: status.phase, .state, .health and the like."""
    fields = mapping(status)
    for key in (
        "phase",
        "state",
        "status",
        "health",
        "currentState",
        "currentStatus",
        "clusterStatus",
        "result",
        *_RARE,
    ):
        value = fields.get(key)
        word = text(value) or text(mapping(value).get("status"))
        if word and len(word) < 64:
            return word
    return ""


def _why(condition: Condition) -> str:
    return condition.message or condition.reason or condition.type


def _reason(state: str, found: tuple[Condition, ...], word: str) -> str:
    """What is wrong says more than its phase's word."""
    if state not in (READY, SUSPENDED, COMPLETED):
        for condition in found:
            if condition.good is False and condition.message:
                return f"{word}: {condition.message}"
    return "" if word.lower() == state.lower() else word
