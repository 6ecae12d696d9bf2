"""What the object editor's page sends, from the form's controls or as YAML, its conflicts, and the frame around it.

Both views send the same beside the object: the object as it was opened (`~original`), the text with its comments
(`~document`), what a new object began with (`~start`, `~begun`), and decisions about conflicts (`~clash:`, `~take:`).
Conflicting is how the page shows a field that two people changed.

The frame (Shell) has the title, the link to the other view and the menu of starts. ChangeNotice is the live region that
says that the object changed in the cluster since it was opened. preserves_input() decorates the editor's views: where
the cluster fails, what was typed is kept.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any

from django.http import HttpResponse, QueryDict
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from console.web.errors import explain, preserved_response
from console.web.request import ConsoleRequest
from kube.client import ClusterClient
from kube.errors import KubeError
from kube.objects import KubeObject, is_generated, mapping, uid_of
from resources import live_topics, yamltext
from resources.forms import parse
from resources.forms.fields import FormInput
from resources.forms.parse import UnreadControl
from resources.place import Place
from resources.types import kind_versions
from resources.writing import draft, examples
from resources.writing.diff import MISSING, Clash, Key, Path, at, same, take
from resources.writing.draft import ObjectGone, own, words
from resources.writing.examples import Start
from untrusted import json_bounds

FORM, YAML = "form", "yaml"
#: What became of an object while it was edited; '' where nothing did.
CHANGED, DELETED, REPLACED = "changed", "deleted", "replaced"
VIEW_COOKIE = "console_view"
_MISSING = "-"
# Characters of a value that are shown.
_LONG = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An object that is being edited.

    `text`: the YAML it was last written in, '' if never; `asked`: a button without script only wants the page again;
    `clashes`: open conflicts, with `undecided` among them.
    """

    obj: KubeObject
    original: KubeObject = field(default_factory=dict)
    text: str = ""
    start: str = ""
    begun: str = ""
    typed: FormInput = field(default_factory=FormInput)
    unread: tuple[UnreadControl, ...] = ()
    asked: bool = False
    clashes: tuple[Clash, ...] = ()
    undecided: tuple[Clash, ...] = ()
    decided: dict[str, str] = field(default_factory=dict)

    @property
    def dirty(self) -> bool:
        """Whether anything was typed since the page was first opened."""
        if self.original:
            return not same(own(self.obj), own(self.original))
        return self.begun != digest(self.obj)

    def with_object(self, obj: KubeObject, **changed: Any) -> "Draft":
        """The same draft with another object."""
        return replace(self, obj=obj, **changed)


def carried(obj: Any) -> str:
    """As a hidden control holds it: ASCII, so that the browser can't change any of it."""
    return json.dumps(obj, ensure_ascii=True, separators=(",", ":"))


def received(text: str) -> KubeObject:
    """Raises ValueError when it is not what `carried` made."""
    obj = json_bounds.loads(text)
    if not isinstance(obj, dict) or not isinstance(obj.get("metadata", {}), dict):
        raise ValueError("not an object")
    return obj


def digest(obj: KubeObject) -> str:
    """Hash of an object as editing began, to notice whether it was changed."""
    return hashlib.sha256(carried(obj).encode()).hexdigest()[:16]


def fingerprint(obj: KubeObject) -> str:
    """Of what people write of the object, for an address: keyed, because the values of a Secret could be guessed.

    What controllers write while they work isn't part of it: finalizers, owners, a Deployment's revision.
    """
    metadata = mapping(obj.get("metadata"))
    people = {
        key: {name: value for name, value in mapping(metadata.get(key)).items() if not is_generated(str(name))}
        for key in ("labels", "annotations")
    }
    text = json.dumps({**own(obj), "metadata": people}, sort_keys=True, separators=(",", ":"))
    return salted_hmac("resources.editor", text, algorithm="sha256").hexdigest()[:32]


def of_form(post: QueryDict) -> Draft:
    """What the form's controls say. Raises ValueError where it sent no object."""
    base = received(post.get("~base", ""))
    posted = [(name, value) for name, values in post.lists() for value in values]
    asked = parse.asked(posted)
    parsed = parse.parse(base, [*posted, *asked])
    found = Draft(
        obj=parsed.object, typed=parsed.typed, unread=parsed.problems, asked=bool(asked), text=post.get("~document", "")
    )
    return _decided(post, _common(post, found))


def of_text(post: QueryDict) -> Draft:
    """From the YAML text. Raises YamlProblem if it isn't an object, ValueError if the page's own fields are broken."""
    text = yaml_of(post)
    return _decided(post, _common(post, Draft(obj=yamltext.load_object(text), text=text)))


def yaml_of(post: QueryDict) -> str:
    """The text with the line ends of YAML."""
    return (post.get("text", "")).replace("\r\n", "\n").replace("\r", "\n")


def _common(post: QueryDict, found: Draft) -> Draft:
    original = received(post.get("~original", "")) if post.get("~original") else {}
    return replace(found, original=original, start=post.get("~start", ""), begun=post.get("~begun", ""))


def _decided(post: QueryDict, found: Draft) -> Draft:
    """With the cluster's value where that was chosen; `~original` holds it since the clash was shown."""
    clashes, undecided, decided = [], [], {}
    obj = found.obj
    for name in post:
        if not name.startswith("~clash:"):
            continue
        spelling = name.removeprefix("~clash:")
        path = unspelt(spelling)
        sent = post.get(name, "")
        clash = Clash(
            path, at(obj, path), at(found.original, path), MISSING if sent == _MISSING else json_bounds.loads(sent)
        )
        clashes.append(clash)
        taken = post.get(f"~take:{spelling}", "")
        decided[spelling] = taken
        if taken == "theirs":
            obj = take(obj, path, clash.theirs)
        elif taken != "mine":
            undecided.append(clash)
    return replace(found, obj=obj, clashes=tuple(clashes), undecided=tuple(undecided), decided=decided)


def spelt(path: Path) -> str:
    """A path as part of a control's name."""
    return json.dumps([dict(step) if isinstance(step, Key) else step for step in path], separators=(",", ":"))


def unspelt(text: str) -> Path:
    """Raises ValueError if it isn't a path."""
    steps = json_bounds.loads(text)
    if not isinstance(steps, list) or not all(isinstance(step, (str, int, dict)) for step in steps):
        raise ValueError("not a path")
    return tuple(Key(step.items()) if isinstance(step, dict) else step for step in steps)


def began(clash: Clash) -> str:
    return _MISSING if clash.began is MISSING else carried(clash.began)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflicting:
    """`name`: of the field as the control spells it; values are YAML, None where there is none; `taken`: mine,
    theirs or ''.
    """

    where: str
    name: str
    carried: str
    began: str | None
    mine: str | None
    theirs: str | None
    taken: str


def conflicting(clash: Clash, decided: Mapping[str, str]) -> Conflicting:
    name = spelt(clash.path)
    return Conflicting(
        where=words(clash.path),
        name=name,
        carried=began(clash),
        began=_yaml(clash.began),
        mine=_yaml(clash.mine),
        theirs=_yaml(clash.theirs),
        taken=decided.get(name, ""),
    )


def _yaml(value: Any) -> str | None:
    if value is MISSING:
        return None
    text = yamltext.dump(value).rstrip("\n")
    return text if len(text) <= _LONG else f"{text[: _LONG - 1]}…"


@dataclass(frozen=True, slots=True)
class VersionChoice:
    """A version in which the object can be created; `deprecation`: '' where it is not deprecated."""

    name: str
    url: str
    deprecation: str
    current: bool


@dataclass(frozen=True, slots=True)
class ChangeNotice:
    """The live region of the editor; `state`: CHANGED, DELETED, REPLACED by a new object with the same name, or ''."""

    topics: str
    url: str
    state: str = ""


def change_notice(client: ClusterClient, place: Place, face: str, opened: KubeObject, *, check: bool) -> ChangeNotice:
    """`opened`: the object as it was opened; `check`: whether that was before this request."""
    opened_as = {"opened": fingerprint(opened), "uid": uid_of(opened)}
    url = place.url("edit" if face == FORM else "yaml", view=face, part="changed", **opened_as)
    state = ""
    if check:
        with suppress(KubeError):
            state = change_state(client, place, opened_as["opened"], opened_as["uid"])
    return ChangeNotice(live_topics.topics(client, place.type, namespace=place.namespace), url, state)


def change_state(client: ClusterClient, place: Place, opened: str, uid: str) -> str:
    """What became of the object with this fingerprint. Raises KubeError."""
    metadata = {"name": place.name, "namespace": place.namespace, "uid": uid}
    try:
        found = draft.live(client, place.type, {"metadata": metadata})
    except ObjectGone as gone:
        return REPLACED if gone.again else DELETED
    return "" if fingerprint(found) == opened else CHANGED


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """`starts` and `objects`: what a new object may begin with; `start`: what it began with; `asked`: what would
    replace what was typed.

    `managed_by`: who keeps the object as it is, and may write over what is saved here.
    """

    place: Place
    title: str
    step: str
    form_url: str
    yaml_url: str
    again_url: str
    again_yaml_url: str
    cancel_url: str
    editing: bool = False
    description: str = ""
    face: str = FORM
    starts: tuple[Start, ...] = ()
    objects: tuple[Start, ...] = ()
    start: str = ""
    begun: str = ""
    asked: str = ""
    secret: bool = False
    managed_by: str = ""
    note: str = ""
    versions: tuple[VersionChoice, ...] = ()
    notice: ChangeNotice | None = None

    @property
    def url(self) -> str:
        return self.form_url if self.face == FORM else self.yaml_url

    @property
    def create_url(self) -> str:
        """Where a deleted object is created again from what was typed."""
        return self.again_url if self.face == FORM else self.again_yaml_url

    @property
    def empty(self) -> bool:
        return self.start in ("", examples.EMPTY)

    def on(self, face: str) -> "Shell":
        return replace(self, face=face)


def version_choices(client: ClusterClient, place: Place, face: str) -> tuple[VersionChoice, ...]:
    """The served versions of a new object's kind, the one to use first; each leads to an empty draft in that
    version.
    """
    view = "new" if face == FORM else "new-yaml"
    query = {"view": face, **({"namespace": place.namespace} if place.namespace else {})}
    return tuple(
        VersionChoice(
            version.type.version,
            Place(version.type, place.namespace).kind_url(view, **query),
            version.deprecation,
            version.type.version == place.type.version,
        )
        for version in kind_versions.versions(client, place.type.group, place.type.plural)
    )


def make_shell(place: Place, title: str, description: str, editing: bool) -> Shell:
    """`title`: what the kind is called."""
    query = {"namespace": place.namespace} if place.namespace else {}
    return Shell(
        place=place,
        title=place.name if editing else _("Create %(kind)s") % {"kind": title or place.type.kind},
        step=_("Edit") if editing else _("Create"),
        form_url=place.url("edit") if editing else place.kind_url("new", **query),
        yaml_url=place.url("yaml") if editing else place.kind_url("new-yaml", **query),
        again_url=place.kind_url("new", **query),
        again_yaml_url=place.kind_url("new-yaml", **query),
        cancel_url=place.url() if editing else place.kind_url(),
        editing=editing,
        description="" if editing else description,
        secret=place.type.kind == "Secret" and not place.type.group,
    )


View = Callable[..., HttpResponse]


def preserves_input(view: View) -> View:
    """A decorator: a KubeError that rises from a POST is answered with everything that was posted."""

    @wraps(view)
    def wrapper(request: ConsoleRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except KubeError as error:
            if request.method != "POST":
                raise
            return preserved_response(request, explain(error), _typed(request))

    return wrapper


def _typed(request: ConsoleRequest) -> str:
    """What was typed, as YAML, without asking the cluster anything."""
    if "text" in request.POST:
        return yaml_of(request.POST)
    try:
        return yamltext.dump(of_form(request.POST).obj)
    except (ValueError, RecursionError):
        return ""
