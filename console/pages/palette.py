"""The command palette's results: pages, kinds, actions, operators, packages and namespaces that match the input.

They come from caches (discovery, the catalog index, the list of namespaces). Objects are searched by name among
commonly opened kinds; the last entry leads to the full search. `/palette/` is also a page, for use without JavaScript.
"""

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpResponse
from django.urls import Resolver404, resolve, reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.web import render
from console.web.frame import Frame
from console.web.navigation import NavGroup
from console.web.request import ConsoleRequest
from kube.errors import KubeError
from operatorhub.find import catalog
from operatorhub.find.facets import rank_packages
from operatorhub.models import Index
from resources import favourites, object_search, podlogs
from resources.acting.actions import actions, page_of_word
from resources.favourites import Marked
from resources.lists import saved_searches
from resources.object_search import FoundName
from resources.place import place_of
from resources.types.types import Kind, kinds

#: How an entry matches (_rank) that has the words in its details only.
_ELSEWHERE = 3
#: Entries of a section.
_OF_EACH = 6
#: Fewer letters fit too many names.
_MIN_LETTERS = 3
_MAX_OBJECTS = 6
#: Of the objects whose names match, those whose actions are read: a request to the API server each.
_MAX_MATCHES, _MAX_ACTED = 100, 4


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    """One line. `detail` tells it from others of the same label; `words`: what else it is found by."""

    label: str
    url: str
    detail: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True)
class PaletteSection:
    title: str
    entries: tuple[PaletteEntry, ...]


@require_safe
def palette(request: ConsoleRequest) -> HttpResponse:
    """`?q=`; only the list for the dialog."""
    q = " ".join(request.GET.get("q", "").split())[:100]
    context = {"q": q, "sections": sections(request, q)}
    return render.page(request, "console/palette.html", context, fragment="console/_palette.html")


def sections(request: ConsoleRequest, q: str) -> tuple[PaletteSection, ...]:
    """Those that have anything. A cluster that does not answer leaves the pages."""
    found = [PaletteSection(_("Pages"), _best(_pages(request), q))]
    with contextlib.suppress(KubeError):
        found[:0] = [PaletteSection(_("This object"), _best(_here(request), q)[:_OF_EACH])]
    with contextlib.suppress(KubeError):
        found += _marked(request, q)
    with contextlib.suppress(KubeError):
        acts = tuple(_object_acts(request, q))
        found.insert(0, PaletteSection(_("Actions"), acts))
    with contextlib.suppress(KubeError):
        found += _of_the_cluster(request, q)
    if q:
        address = f"{reverse('resources:search')}?{urlencode({'namespace': '-', 'q': q})}"
        there: tuple[PaletteEntry, ...] = ()
        with contextlib.suppress(KubeError):
            there = tuple(_object_entries(request, q))
        found.append(
            PaletteSection(
                _("Objects"), (*there, PaletteEntry(_("Search all objects for “%(text)s”") % {"text": q}, address))
            )
        )
        # Enter opens the first: an object of that name, not a kind that has it somewhere in its own.
        ranks = {section.title: _rank(section.entries[0], q) for section in found if section.entries}
        ranks[_("Objects")] = _rank(there[0], q) if there else _ELSEWHERE
        ranks[_("Actions")] = 0
        found.sort(key=lambda section: ranks.get(section.title, 0))
    return tuple(section for section in found if section.entries)


def _here(request: ConsoleRequest) -> Iterator[PaletteEntry]:
    """What can be done with the object whose page is open (`?at=`)."""
    try:
        found = resolve(request.GET.get("at", "").removeprefix(request.META.get("SCRIPT_NAME", "")))
    except Resolver404:
        return
    if found.app_name != "resources" or "name" not in found.kwargs:
        return
    kind = {key: found.kwargs[key] for key in ("group", "version", "plural", "namespace", "name")}
    place = place_of(request, **kind)
    for action in actions(request.cluster, place, place.get(request.cluster)):
        if not action.refusal:
            yield PaletteEntry(action.label, action.url, place.name)


def _of_the_cluster(request: ConsoleRequest, q: str) -> Iterator[PaletteSection]:
    if not q:
        return
    served = kinds(request.cluster.types())
    yield PaletteSection(_("Resource types"), _best(map(_kind, served), q))
    yield PaletteSection(_("Create"), _best(map(_creation, filter(_creatable, served)), q))
    yield PaletteSection(_("Operators in catalogs"), _packages(request, q))
    yield PaletteSection(_("Namespaces"), _best(map(_namespace, Frame(request).namespaces), q))


def _pages(request: ConsoleRequest) -> Iterator[PaletteEntry]:
    for entry in Frame(request).navigation:
        if isinstance(entry, NavGroup):
            yield from (PaletteEntry(item.label, item.url, entry.label) for item in entry.items)
        else:
            yield PaletteEntry(entry.label, entry.url)
            yield from (PaletteEntry(item.label, item.url, entry.label) for item in entry.below)
    yield PaletteEntry(_("Favorites"), reverse("resources:favourites"))
    yield PaletteEntry(_("Operator-backed services"), reverse("operatorhub:services"), _("Operators"))
    yield PaletteEntry(
        _("Operator Lifecycle Manager"), reverse("operatorhub:olm"), _("Operators"), "olm install health"
    )
    yield PaletteEntry(_("Run a bundle"), reverse("operatorhub:run"), _("Operators"))
    yield PaletteEntry(_("Search"), reverse("resources:search"), _("Resources"))
    yield PaletteEntry(_("Events"), reverse("resources:events"), _("Resources"), "stream warnings")
    yield PaletteEntry(_("Import YAML"), reverse("resources:import"), _("Resources"), "apply create paste")
    yield PaletteEntry(_("Settings"), reverse("pages:settings"), "", "preferences language theme dark times")
    yield PaletteEntry(_("Saved searches"), reverse("resources:saved"), _("Resources"), "filters")


def _marked(request: ConsoleRequest, q: str) -> Iterator[PaletteSection]:
    """The user's saved searches, favourites and recently viewed objects."""
    searches = (
        PaletteEntry(search.name, search.url, search.kind or _("All resource types"))
        for search in saved_searches.all_of(request.cluster)
    )
    yield PaletteSection(_("Saved searches"), _best(searches, q)[:_OF_EACH])
    liked = favourites.favourites(request.cluster)
    yield PaletteSection(_("Favorites"), _best((_mark(marked) for marked in liked if marked.url), q)[:_OF_EACH])
    known = {marked.url for marked in liked}
    lately = (_mark(marked) for marked in favourites.recent(request.cluster) if marked.url and marked.url not in known)
    yield PaletteSection(_("Recently viewed"), _best(lately, q)[:_OF_EACH])


def _mark(marked: Marked) -> PaletteEntry:
    return PaletteEntry(marked.label, marked.url, f"{marked.kind} {marked.namespace}".strip())


def _object_entries(request: ConsoleRequest, q: str) -> Iterator[PaletteEntry]:
    """Objects with that name."""
    if len(q) >= _MIN_LETTERS:
        for name in object_search.find_names(request.cluster, request.namespace, q.split(), _MAX_OBJECTS):
            yield PaletteEntry(name.name, name.place.url(), _what(name))


def _object_acts(request: ConsoleRequest, q: str) -> Iterator[PaletteEntry]:
    """Actions on the objects found ("logs web-0", "delete pod web-0"): links to their confirmation pages.

    Without those that the user lacks permission for.
    """
    verb, words = _verb_of(q)
    if not verb or not any(len(word) >= 2 for word in words):
        return
    client = request.cluster
    named = object_search.find_names(client, request.namespace, words, _MAX_MATCHES)
    for name in [hit for hit in named if _can_have(hit, verb)][:_MAX_ACTED]:
        try:
            offered = actions(client, name.place, name.place.get(client))
        except KubeError:
            continue
        for action in offered:
            path = action.url.partition("?")[0].rstrip("/").rpartition("/")[2]
            if path == verb and not action.refusal:
                yield PaletteEntry(f"{action.label}: {name.name}", action.url, _what(name))


def _verb_of(q: str) -> tuple[str, list[str]]:
    """(the action's name in its address, the words behind it); '' where no action is meant."""
    first, *rest = q.lower().split() or [""]
    return page_of_word(first), rest


def _can_have(name: FoundName, verb: str) -> bool:
    """Whether the kind can have the action at all; without asking the cluster."""
    is_pod = name.type.kind == "Pod" and not name.type.group
    if verb in ("terminal", "evict"):
        return is_pod
    if verb == "scale":
        return "scale" in name.type.subresources
    if verb in ("logs", "forward"):
        return is_pod or podlogs.may_have_pods(name.type)
    return True


def _what(name: FoundName) -> str:
    return f"{name.type.kind} · {name.namespace}" if name.namespace else name.type.kind


def _kind(kind: Kind) -> PaletteEntry:
    of = kind.type
    url = reverse("resources:list", args=[of.group_or_core, of.version, of.plural])
    return PaletteEntry(of.kind, url, of.group, f"{of.plural} {' '.join(of.short_names)}")


def _creatable(kind: Kind) -> bool:
    return "create" in kind.type.verbs


def _creation(kind: Kind) -> PaletteEntry:
    of = kind.type
    url = reverse("resources:new", args=[of.group_or_core, of.version, of.plural])
    label = _("Create %(kind)s") % {"kind": of.kind}
    return PaletteEntry(label, url, of.group, f"create new {of.plural}")


def _namespace(name: str) -> PaletteEntry:
    return PaletteEntry(
        name, f"{reverse('pages:overview')}?{urlencode({'namespace': name})}", _("Switch to this namespace")
    )


def _packages(request: ConsoleRequest, q: str) -> tuple[PaletteEntry, ...]:
    client = request.cluster
    state = Index.objects.filter(cluster=client.name).first()
    if state is None:
        return ()
    entries = catalog.visible(client, catalog.everything(client.name, state.revision).entries, request.namespace)
    ranked = rank_packages(q, [entry.texts for entry in entries])[:_OF_EACH]
    return tuple(
        PaletteEntry(
            entries[number].title,
            reverse(
                "operatorhub:package",
                args=[entries[number].namespace, entries[number].catalog, entries[number].name],
            ),
            entries[number].provider,
        )
        for number in ranked
    )


def _best(entries: Iterable[PaletteEntry], q: str) -> tuple[PaletteEntry, ...]:
    """The entries with all words, the best first."""
    if not q:
        return tuple(entries)
    words = q.lower().split()
    found = [
        entry
        for entry in entries
        if all(word in f"{entry.label} {entry.detail} {entry.words}".lower() for word in words)
    ]
    return tuple(sorted(found, key=lambda entry: (_rank(entry, q), len(entry.label)))[:_OF_EACH])


def _rank(entry: PaletteEntry, q: str) -> int:
    """0: the label or one of its `words` is the input; 1: the label begins with it; 2: it contains it; 3: it is
    found elsewhere.
    """
    text, label = q.lower(), entry.label.lower()
    if text == label or text in entry.words.lower().split():
        return 0
    return 1 if label.startswith(text) else 2 if text in label else _ELSEWHERE
