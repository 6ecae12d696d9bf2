"""A package's upgrade graph: as a drawing, and the way that OLM takes through it to a channel's newest version. Pure.

Channels are lanes, versions are rows with the newest on top, and lines say which version comes after which: numbers and
paths for an SVG, and the same as plain facts for a table beside it. Real graphs have holes (a version replaces one that
the channel does not have), cycles, several heads, 38 channels and 300 versions; none of them is an error here, they are
drawn and named.

A version follows another by `replaces`, `skips` or `skipRange`; of several that follow, OLM takes the one nearest to
the channel's head. It updates only to versions that the catalog has, that the chain of `replaces` from the head passes,
and that no version skips (sortChannel in operator-lifecycle-manager's resolver.go).
https://olm.operatorframework.io/docs/concepts/olm-architecture/operator-catalog/creating-an-update-graph/
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from operatorhub import csv
from operatorhub.sources.drafts import Channel, ChannelEntry, Graph

LANE, ROW, TOP, LEFT = 24, 30, 18, 20
# Rows shown before the older ones are folded.
MOST = 30
_LABEL, _WIDEST = 22, 40
_PART = re.compile(r"(?:(>=|<=|==|!=|=|>|<|!)\s*)?(v?[0-9A-Za-z.*+-]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """A channel. `label`: its name, cut where it is too long to be drawn."""

    x: int
    name: str
    label: str
    default: bool
    deprecated: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRow:
    """A version. `channels`: those that have it, the one the page is about first; `heads`: those whose newest it is;
    `missing`: the cluster's catalog doesn't have it.
    """

    y: int
    name: str
    version: str
    channels: tuple[str, ...]
    heads: tuple[str, ...]
    deprecated: str
    installed: bool
    chosen: bool
    missing: bool

    @property
    def link_channel(self) -> str:
        return self.channels[0]

    @property
    def label(self) -> str:
        """The version, cut where it is too long to be drawn."""
        return self.version if len(self.version) <= _WIDEST else f"{self.version[: _WIDEST - 1]}…"


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionNode:
    """A version in a channel: a circle, and a link to it unless it is `missing`."""

    x: int
    y: int
    channel: str
    name: str
    version: str
    head: bool
    deprecated: bool
    installed: bool
    chosen: bool
    missing: bool


@dataclass(frozen=True, slots=True)
class Edge:
    """A line.

    `kind`: replaces, skips, range or hole (what it replaces is not in the channel). `words`: the same as a sentence.
    """

    kind: str
    path: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """`folded`: how many older versions are left out."""

    width: int
    height: int
    header: int
    lanes: tuple[Lane, ...]
    rows: tuple[VersionRow, ...]
    nodes: tuple[VersionNode, ...]
    edges: tuple[Edge, ...]
    folded: int


def draw(
    graph: Graph, *, installed: Iterable[str] = (), chosen: tuple[str, str] = ("", ""), most: int = MOST
) -> Drawing:
    """`installed`: CSV names; `chosen`: (channel, CSV name) that the page describes.

    `most`: rows to show, 0 for all; chosen and installed ones are always there.

    Channels none of whose versions are shown have no lane.
    """
    installed = frozenset(installed)
    names = ordered(graph)
    shown = names[:most] if most else names
    shown = [*shown, *(name for name in names[len(shown) :] if name in installed or name == chosen[1])]
    among = frozenset(shown)
    channels = [
        channel
        for channel in graph.channels
        if channel.name == chosen[0] or not channel.entries or any(entry.name in among for entry in channel.entries)
    ]
    header = TOP + int(max((min(len(channel.name), _LABEL) for channel in channels), default=0) * 5.8)
    height = {name: header + TOP + number * ROW for number, name in enumerate(shown)}
    rows = tuple(_row(graph, name, height[name], installed, chosen) for name in shown)
    left = LEFT + max((_width(row) for row in rows), default=0)
    lanes = tuple(_lane(channel, left + number * LANE, graph.default) for number, channel in enumerate(channels))
    nodes, edges = [], []
    for lane, channel in zip(lanes, channels, strict=True):
        present = [entry for entry in channel.entries if entry.name in height]
        nodes += _nodes(
            channel=channel,
            present=present,
            x=lane.x,
            height=height,
            installed=installed,
            chosen=chosen,
            missing=graph.missing,
        )
        edges += _edges(channel, present, lane.x, height)
    # The names of channels lean to the right of the last lane.
    width = left + max(len(lanes), 1) * LANE + header
    tall = header + TOP + max(len(shown), 1) * ROW
    return Drawing(
        width=width,
        height=tall,
        header=header,
        lanes=lanes,
        rows=rows,
        nodes=tuple(nodes),
        edges=tuple(edges),
        folded=len(names) - len(shown),
    )


def _lane(channel: Channel, x: int, default: str) -> Lane:
    label = channel.name if len(channel.name) <= _LABEL else f"{channel.name[: _LABEL - 1]}…"
    return Lane(x=x, name=channel.name, label=label, default=channel.name == default, deprecated=channel.deprecated)


def _width(row: VersionRow) -> int:
    """About how wide its label is drawn."""
    return int((min(len(row.label), _WIDEST) + 12 * row.installed + 13 * bool(row.deprecated)) * 7.4) + 16


def _nodes(
    channel: Channel,
    present: Iterable[ChannelEntry],
    x: int,
    height: Mapping[str, int],
    installed: frozenset[str],
    chosen: tuple[str, str],
    missing: Sequence[str],
) -> list[VersionNode]:
    head = channel.entries[0].name if channel.entries else ""
    return [
        VersionNode(
            x=x,
            y=height[entry.name],
            channel=channel.name,
            name=entry.name,
            version=entry.version or entry.name,
            head=entry.name == head,
            deprecated=bool(entry.deprecated),
            installed=entry.name in installed,
            chosen=(channel.name, entry.name) == chosen,
            missing=entry.name in missing,
        )
        for entry in present
    ]


def ordered(graph: Graph) -> list[str]:
    """The names of all versions, newest first; those without a semantic version come last, in their channel's order."""
    known: dict[str, str] = {}
    for channel in graph.channels:
        for entry in channel.entries:
            known[entry.name] = known.get(entry.name) or entry.version
    return sorted(known, key=lambda name: csv.version_key(known[name]), reverse=True)


def _row(graph: Graph, name: str, y: int, installed: frozenset[str], chosen: tuple[str, str]) -> VersionRow:
    found = [(channel, entry) for channel in graph.channels for entry in channel.entries if entry.name == name]
    return VersionRow(
        y=y,
        name=name,
        version=next((entry.version for _channel, entry in found if entry.version), name),
        channels=tuple(
            sorted(dict.fromkeys(channel.name for channel, _entry in found), key=lambda fromkey: fromkey != chosen[0])
        ),
        heads=tuple(channel.name for channel in graph.channels if channel.entries and channel.entries[0].name == name),
        deprecated=next((entry.deprecated for _channel, entry in found if entry.deprecated), ""),
        installed=name in installed,
        chosen=name == chosen[1],
        missing=name in graph.missing,
    )


def _edges(channel: Channel, present: Sequence[ChannelEntry], x: int, height: Mapping[str, int]) -> list[Edge]:
    here = {entry.name: entry for entry in channel.entries}
    taken = sorted(height[entry.name] for entry in present)
    edges = []
    for newer in present:
        y = height[newer.name]
        version = newer.version or newer.name
        if newer.replaces and newer.replaces in height and newer.replaces in here:
            words = _("%(new)s replaces %(old)s in %(channel)s")
            old = here[newer.replaces].version or newer.replaces
            edges.append(
                _edge(
                    kind="replaces",
                    x=x,
                    start=y,
                    end=height[newer.replaces],
                    taken=taken,
                    words=words % _words(version, old, channel),
                )
            )
        elif newer.replaces and newer.replaces not in here:
            words = _("%(new)s replaces %(old)s, which isn't in %(channel)s")
            edges.append(Edge("hole", f"M{x} {y}v{ROW // 2}", words % _words(version, newer.replaces, channel)))
        for other in newer.skips:
            if other in height and other in here and other != newer.replaces:
                words = _("%(new)s skips %(old)s in %(channel)s")
                edges.append(
                    _edge(
                        kind="skips",
                        x=x,
                        start=y,
                        end=height[other],
                        taken=taken,
                        words=words % _words(version, other, channel),
                    )
                )
        if newer.skip_range and (last := _last_in(newer, channel, height)):
            words = _("Every version in %(old)s can be updated to %(new)s in %(channel)s")
            edges.append(
                _arc(
                    kind="range",
                    x=x,
                    start=y,
                    end=height[last],
                    words=words % _words(version, newer.skip_range, channel),
                    bend=11,
                )
            )
    return edges


def _words(new: str, old: str, channel: Channel) -> dict[str, str]:
    return {"new": new, "old": old, "channel": channel.name}


def _last_in(entry: ChannelEntry, channel: Channel, height: Mapping[str, int]) -> str:
    """The lowest row of the channel's versions that the range holds."""
    reached = [
        other.name
        for other in channel.entries
        if other.name in height and other.name != entry.name and in_range(other.version, entry.skip_range)
    ]
    return max(reached, key=lambda name: height[name], default="")


def _edge(kind: str, x: int, start: int, end: int, taken: Sequence[int], words: str) -> Edge:
    """Straight down to the next version of the lane; around those that lie between."""
    if kind == "replaces" and not any(min(start, end) < y < max(start, end) for y in taken):
        return Edge(kind, f"M{x} {start}V{end}", words)
    return _arc(kind=kind, x=x, start=start, end=end, words=words, bend=-11 if kind == "replaces" else 9)


def _arc(kind: str, x: int, start: int, end: int, words: str, bend: int) -> Edge:
    return Edge(kind, f"M{x} {start}C{x + bend} {start + 8} {x + bend} {end - 8} {x} {end}", words)


def in_range(version: str, wanted: str) -> bool:
    """Whether a version lies in a range as OLM reads them: `>=1.0.0 <2.0.0 || 3.x`. What can't be read holds nothing.

    https://github.com/blang/semver#ranges
    """
    if not csv.is_version(version):
        return False
    return any(_all(version, part) for part in wanted.split("||"))


def _all(version: str, part: str) -> bool:
    found = _PART.findall(part)
    return bool(found) and all(_one(version, operator or "=", bound) for operator, bound in found)


def _one(version: str, operator: str, bound: str) -> bool:
    parts = bound.removeprefix("v").split(".")
    wild = len(parts) < 3 or any(part in ("x", "X", "*") for part in parts)
    if wild:
        given = [part for part in parts if part not in ("x", "X", "*")]
        same = version.removeprefix("v").split(".")[: len(given)] == given
        if operator in ("=", "=="):
            return same
        bound = ".".join([*given, "0", "0", "0"][:3])
        if operator in ("<=", ">") and same:
            return operator == "<="
    if not csv.is_version(bound):
        return False
    ours, theirs = csv.version_key(version), csv.version_key(bound)
    return {
        "=": ours == theirs,
        "==": ours == theirs,
        "!=": ours != theirs,
        "!": ours != theirs,
        ">": ours > theirs,
        ">=": ours >= theirs,
        "<": ours < theirs,
        "<=": ours <= theirs,
    }[operator]


@dataclass(frozen=True, slots=True)
class UpdatePath:
    """`passed`: versions after the installed one, the last is where it ends.

    `older`: the head is older than what runs; OLM never goes back.
    """

    head: ChannelEntry
    passed: tuple[ChannelEntry, ...]
    older: bool

    @property
    def reaches(self) -> bool:
        return bool(self.passed) and self.passed[-1].name == self.head.name


def path_of_updates(graph: Graph, channel_name: str, installed: ChannelEntry) -> UpdatePath | None:
    """From the installed version to the head of a channel; None if the channel is empty or its edges are unknown."""
    entries, targets = _edges_of(graph, channel_name)
    if not entries:
        return None
    head, passed, current = entries[0], [], installed
    while (following := _next_version(targets, current)) is not None and following not in passed:
        passed.append(following)
        current = following
    older = csv.version_key(head.version) < csv.version_key(installed.version)
    return UpdatePath(head, tuple(passed), older)


def _edges_of(graph: Graph, channel_name: str) -> tuple[Sequence[ChannelEntry], list[ChannelEntry]]:
    """(a channel's versions, those of them that OLM updates to); none if its edges are unknown."""
    channel = next((channel for channel in graph.channels if channel.name == channel_name), None)
    if channel is None or not graph.edges_known:
        return (), []
    return channel.entries, _update_targets([entry for entry in channel.entries if entry.name not in graph.missing])


def _update_targets(entries: Sequence[ChannelEntry]) -> list[ChannelEntry]:
    """The chain of `replaces` from the head, without versions that another one skips."""
    by_name = {entry.name: entry for entry in entries}
    skipped = {name for entry in entries for name in entry.skips}
    chain: dict[str, ChannelEntry] = {}
    current = entries[0] if entries else None
    while current is not None and current.name not in chain:
        chain[current.name] = current
        current = by_name.get(current.replaces)
    return [entry for entry in chain.values() if entry.name not in skipped]


def stranded(graph: Graph, channel_name: str) -> frozenset[str]:
    """The versions of a channel from which OLM can't update to its head; none if the edges are unknown."""
    entries, targets = _edges_of(graph, channel_name)
    following = {entry.name: _next_version(targets, entry) for entry in entries}
    found = set()
    for entry in entries:
        current, passed = entry.name, {entry.name}
        while (after := following[current]) is not None and after.name not in passed:
            current = after.name
            passed.add(current)
        if current != entries[0].name:
            found.add(entry.name)
    return frozenset(found)


def _next_version(targets: Sequence[ChannelEntry], current: ChannelEntry) -> ChannelEntry | None:
    """Targets are the newest first. One whose own skipRange has its version follows itself for OLM, and so stays."""
    found = next((entry for entry in targets if _version_follows(entry, current)), None)
    return None if found is None or found.name == current.name else found


def _version_follows(entry: ChannelEntry, current: ChannelEntry) -> bool:
    skipped = entry.skip_range and in_range(current.version, entry.skip_range)
    return entry.replaces == current.name or current.name in entry.skips or bool(skipped)
