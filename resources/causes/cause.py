"""What a rule returns: one sentence, its evidence and, where there is one, a fix.

No addresses: objects are named, pages link to them. At the end, helpers for the texts of several rules.
"""

import re
from dataclasses import dataclass
from enum import IntEnum

from django.utils.translation import gettext as _


class Severity(IntEnum):
    """ERROR: it doesn't work. WARNING: it works in part, or has only just begun to fail. NOTE: worth knowing."""

    ERROR = 0
    WARNING = 1
    NOTE = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseTarget:
    """An object by its group, kind and name, or with name '' all objects of the kind. `namespace` '':
    cluster-scoped.
    """

    group: str
    kind: str
    name: str = ""
    namespace: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """Evidence: a page of an object. `view` as in resources/urls.py, and `events` for the Events on the object's
    page.
    """

    target: CauseTarget
    view: str = "detail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """A verb and its target ("Create ConfigMap settings"), and the page that does it. `view`, `query`: as in
    resources/urls.py.
    """

    label: str
    target: CauseTarget
    view: str = "edit"
    query: tuple[tuple[str, str], ...] = ()


def creation(target: CauseTarget, view: str = "new") -> Fix:
    """Of what is missing, under its name; a cluster-scoped object has no namespace."""
    namespace = (("namespace", target.namespace),) if target.namespace else ()
    words = {"kind": target.kind, "target": target.name}
    label = _("Create %(kind)s %(target)s") % words
    return Fix(label=label, target=target, view=view, query=(*namespace, ("name", target.name)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Why an object isn't well.

    `sentence`: subject, "can't", object, reason, in the current language; at most 120 characters of ours, names in
    full. `note`: what still works or what to know, '' where nothing is known. `raw`: the cluster's own text, by which
    the cause was recognised. `since`: RFC 3339, '' where unknown. `rank`: among causes of one severity the lower is
    nearer to the root of the trouble. `rule` and `about` are set by the engine.
    """

    sentence: str
    rank: int
    severity: Severity = Severity.ERROR
    note: str = ""
    links: tuple[Link, ...] = ()
    raw: str = ""
    fix: Fix | None = None
    since: str = ""
    #: It only repeats what a more exact cause says: dropped where there is one.
    generic: bool = False
    rule: str = ""
    about: CauseTarget | None = None


#: How much of a line of untrusted log or message goes into a sentence.
_SHORT = 160
#: What containerd, its shim and runc put before the reason, each for itself.
_RUNTIME = re.compile(
    r"(?:rpc error: code = \w{1,40} desc =|failed to create (?:containerd task|containerd container|shim task):"
    r'|failed to create pod sandbox:|failed to exec in container:|failed to start exec "[^"]{0,80}":'
    r"|OCI runtime (?:create|exec) failed:|(?:runc create|exec|container create) failed:"
    r"|unable to start container process:|error during container init:) ",
    re.IGNORECASE,
)
#: containerd with runc; CRI-O with crun.
_PROGRAM = re.compile(r'exec: "(?P<program>[^"]{1,200})": |executable file `(?P<crun>[^`]{1,200})` ')
_FORBIDDEN = re.compile(r'(?:^|[\s:])(?P<plural>[a-z0-9.-]+) "[^"\s]*" is forbidden')


def refused_kind(text: str) -> str:
    """The plural of the kind that the API server refused to create, "Pods" for Pods; '' where the text names none."""
    found = _FORBIDDEN.search(text)
    plural = found["plural"] if found else ""
    return _("Pods") if plural == "pods" else plural


def shortened(text: str, most: int = _SHORT) -> str:
    """One line of it, cut at its end."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def runtime_reason(text: str) -> str:
    """Why the container runtime could not do what it was asked for, without the layers that passed its message on."""
    line = " ".join(text.split())
    ends = [layer.end() for layer in _RUNTIME.finditer(line)]
    reason = line[ends[-1] :] if ends else line
    return program_reason(reason) or shortened(reason.removesuffix(": unknown"))


def program_reason(text: str) -> str:
    """Why the program of a container, hook or probe didn't start; '' where the text isn't about that."""
    found = _PROGRAM.search(text)
    if found is None:
        return ""
    words = {"program": found["program"] or found["crun"]}
    why = text[found.end() :]
    if "not found" in why or "no such file" in why:
        return _("the image has no program %(program)s") % words
    if "permission denied" in why or "is a directory" in why:
        return _("%(program)s isn't an executable file") % words
    return ""
