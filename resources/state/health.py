"""One word for the state of any object, and why: Ready, Progressing, Degraded, Suspended, Terminating or Unknown.

Kinds of Kubernetes and OLM have rules of their own (resources/state/kind_health.py). All others are read by the conventions that operators follow:
deletionTimestamp, conditions, observedGeneration, and a phase or state in words. Nothing an operator writes is trusted to have a shape: what
can't be read is left out, never an error. A kind without any state (a ConfigMap) has none: the word is ''.
https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

READY = "Ready"
PROGRESSING = "Progressing"
DEGRADED = "Degraded"
SUSPENDED = "Suspended"
TERMINATING = "Terminating"
UNKNOWN = "Unknown"

LABELS = {
    READY: gettext_lazy("Ready"),
    PROGRESSING: gettext_lazy("Progressing"),
    DEGRADED: gettext_lazy("Degraded"),
    SUSPENDED: gettext_lazy("Suspended"),
    TERMINATING: gettext_lazy("Terminating"),
    UNKNOWN: gettext_lazy("Unknown"),
}
# PatternFly's label colours and our icons.
_LOOKS = {
    READY: ("green", "success"),
    PROGRESSING: ("blue", "progress"),
    DEGRADED: ("red", "error"),
    SUSPENDED: ("purple", "info"),
    TERMINATING: ("orange", "progress"),
    UNKNOWN: ("grey", "info"),
}
# Words that operators put into status.phase, status.state and so on, in lower case and without spaces.
_WORDS = {
    READY: (
        "ready running available active succeeded success complete completed bound healthy deployed installed created established "
        "atlatestknown synced ok online up reconciled provisioned connected accepted valid finished stable normal done true"
    ),
    DEGRADED: (
        "failed failure error degraded crashloopbackoff lost unhealthy invalid imagepullbackoff errimagepull oomkilled evicted offline "
        "down missing stalled createcontainerconfigerror runcontainererror invalidimagename containercannotrun deadlineexceeded "
        "backoff aborted rejected denied refused blocked broken conflict conflicted corrupted dead quarantined unavailable outofsync upgradefailed partiallyfailed failedvalidation createfailed updatefailed expired timedout installfailed createcontainererror errored"
    ),
    PROGRESSING: (
        "progressing creating pending updating upgrading initializing scaling installing installready reconciling containercreating podinitializing "
        "starting provisioning restarting waiting inprogress processing deploying configuring rollout upgradepending upgradeavailable "
        "replacing rebooting restoring notready unschedulable schedulinggated pausing stopping new planning requiresapproval"
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
)
_GOOD = ("ready", "available", "healthy", "reconciled", "deployed", "running", "succeeded", "complete", "established")
_MOVING = ("progressing", "reconciling", "updating", "upgrading", "initializing", "creating", "deploying", "scaling")


@dataclass(frozen=True, slots=True)
class Health:
    """`state`: one of the words above, '' for a kind that has none. `reason`: a few words or a sentence, '' when there is nothing to say."""

    state: str = ""
    reason: str = ""

    @property
    def label(self) -> str:
        return str(LABELS.get(self.state, self.state))

    @property
    def colour(self) -> str:
        return _LOOKS[self.state][0] if self.state in _LOOKS else "grey"

    @property
    def icon(self) -> str:
        return _LOOKS[self.state][1] if self.state in _LOOKS else "info"


@dataclass(frozen=True, slots=True)
class Condition:
    """One entry of status.conditions, with texts only. `good`: True, False, or None where its type does not tell."""

    type: str
    status: str
    reason: str = ""
    message: str = ""
    changed: str = ""
    good: bool | None = None
    #: Of which metadata.generation it speaks, None where that is not said.
    generation: int | None = None
    severity: str = ""


def text(value: Any) -> str:
    """A scalar as text; anything else, and None, as ''."""
    return str(value) if isinstance(value, str | int | float | bool) else ""


def mapping(value: Any) -> Mapping[str, Any]:
    """The value if it is a mapping, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def items(value: Any) -> list[Mapping[str, Any]]:
    """Those elements of a list that are mappings; [] for anything else."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def conditions(obj: Mapping[str, Any]) -> tuple[Condition, ...]:
    """Also of a mapping by type, which some operators write instead of a list, and of entries that lack most of their fields."""
    found = mapping(obj.get("status")).get("conditions")
    if isinstance(found, Mapping):
        found = [
            {"type": key, **(value if isinstance(value, Mapping) else {"status": value})}
            for key, value in found.items()
        ]
    return tuple(_condition(entry) for entry in items(found))


def _condition(entry: Mapping[str, Any]) -> Condition:
    # A CSV's conditions have a phase instead of a type.
    type_, status = text(entry.get("type")) or text(entry.get("phase")), text(entry.get("status"))
    changed = text(entry.get("lastTransitionTime") or entry.get("lastUpdateTime"))
    word, good = type_.lower(), None
    if status in ("True", "False"):
        if word.endswith(_BAD):
            good = status == "False"
        elif word.endswith(_GOOD) and not word.startswith("not"):
            good = status == "True"
    generation, severity = entry.get("observedGeneration"), text(entry.get("severity"))
    reason, message = text(entry.get("reason")), text(entry.get("message"))
    return Condition(
        type_, status, reason, message, changed, good, generation if isinstance(generation, int) else None, severity
    )


def condition_of(obj: Mapping[str, Any], type_: str) -> Condition | None:
    """The condition of that type, if there is one."""
    return next((condition for condition in conditions(obj) if condition.type == type_), None)


def number(value: Any, default: int = 0) -> int:
    """An integer, or `default` for anything else."""
    return value if isinstance(value, int) else default


def by_word(word: str) -> str:
    """The state that a phase's word stands for; '' when that is not known. Words with parts ('Init:Error') count by their last."""
    plain = word.rpartition(":")[2].replace(" ", "").replace("-", "").replace("_", "").lower()
    return _BY_WORD.get(plain, "")


def colour_of(word: str) -> str:
    """PatternFly's colour for a phase's word, '' for an unknown word."""
    state = by_word(word)
    return _LOOKS[state][0] if state else ""


def terminating(obj: Mapping[str, Any]) -> Health | None:
    """An object that is going, and what it waits for."""
    metadata = mapping(obj.get("metadata"))
    if not metadata.get("deletionTimestamp"):
        return None
    finalizers = metadata.get("finalizers")
    names = ", ".join(text(name) for name in finalizers) if isinstance(finalizers, list) else ""
    return Health(TERMINATING, _("waits for %(finalizers)s") % {"finalizers": names} if names else "")


def behind(obj: Mapping[str, Any]) -> bool:
    """Whether who reports the status has not yet seen the newest spec."""
    seen, newest = mapping(obj.get("status")).get("observedGeneration"), mapping(obj.get("metadata")).get("generation")
    return isinstance(seen, int) and isinstance(newest, int) and seen < newest


def _old(condition: Condition, obj: Mapping[str, Any]) -> bool:
    """Whether the condition that sums up speaks of an earlier spec (as kstatus judges it)."""
    newest = mapping(obj.get("metadata")).get("generation")
    summary = condition.type in ("Ready", "Available", "Reconciled")
    return summary and condition.generation is not None and isinstance(newest, int) and condition.generation < newest


def by_convention(obj: Mapping[str, Any]) -> Health:
    """By what operators usually write; Unknown for an object whose operator has said nothing yet."""
    status, spec = mapping(obj.get("status")), mapping(obj.get("spec"))
    found = conditions(obj)
    for condition in found:
        if condition.good is False and condition.type.lower().endswith(_BAD):
            return Health(DEGRADED, _why(condition))
    if behind(obj) or any(_old(condition, obj) for condition in found):
        return Health(PROGRESSING, _("the newest change is not yet acted on"))
    word = phase(status)
    if spec.get("suspend") is True or spec.get("paused") is True:
        return Health(SUSPENDED, word)
    if state := by_word(word):
        return Health(state, _reason(state, found, word))
    if not found and isinstance(status.get("ready"), bool):
        return Health(READY if status["ready"] else PROGRESSING, word)
    return _by_conditions(found, word)


def _by_conditions(found: tuple[Condition, ...], word: str) -> Health:
    named = {condition.type.lower(): condition for condition in found}
    for type_ in _GOOD:
        condition = named.get(type_)
        if condition is None:
            continue
        if condition.status == "True":
            return Health(READY, word)
        failed = by_word(condition.reason) == DEGRADED or condition.reason.lower().endswith(_BAD)
        failed = failed or condition.severity == "Error"
        # Prometheus says "Available: Degraded".
        bad = condition.status == "Degraded" or (failed and condition.status == "False")
        return Health(DEGRADED if bad else PROGRESSING, _why(condition))
    for type_ in _MOVING:
        if type_ in named and named[type_].status == "True":
            return Health(PROGRESSING, _why(named[type_]))
    for condition in found:
        # AllReplicasReady, PrimaryAvailable and the like.
        if condition.good is False:
            return Health(PROGRESSING, _why(condition))
    if any(condition.good for condition in found):
        return Health(READY, word)
    # FlightTicket's phase "Booked" beside a condition Booked: its operator calls done what this console has no word for.
    if word and word.lower() in named and all(condition.status == "True" for condition in found):
        return Health(READY, word)
    return Health(UNKNOWN, word or ("" if found else _("its operator has not reported a status")))


def phase(status: Mapping[str, Any]) -> str:
    """The word an operator uses for the whole: status.phase, .state, .health and the like."""
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
        value = status.get(key)
        word = text(value) or text(mapping(value).get("status"))
        if word and len(word) < 64:
            return word
    return ""


def _why(condition: Condition) -> str:
    return condition.message or condition.reason or condition.type


def _reason(state: str, found: tuple[Condition, ...], word: str) -> str:
    """What is wrong says more than its phase's word."""
    if state not in (READY, SUSPENDED):
        for condition in found:
            if condition.good is False and condition.message:
                return f"{word}: {condition.message}"
    return "" if word.lower() == state.lower() else word
