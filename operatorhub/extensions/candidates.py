"""The versions that a ClusterExtension may become, and the one that OLM v1 would take. Pure, over a package's graph.

The same rules as operator-controller's resolver: channels and range first, then the author's upgrade edges (unless
SelfCertified), deprecated ones last, the highest version wins.
https://operator-framework.github.io/operator-controller/concepts/upgrade-support/
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from operatorhub import versions
from operatorhub.bundle.bundles import ChannelEntry, Graph
from operatorhub.bundle.graph import in_range

_TILDE = re.compile(r"([~^])\s*v?(\d+)(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?[^\s,|]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A version with the channels it is in.

    `follows`: an upgrade edge leads to it from what is installed; `fits`: channels and range allow it.
    """

    name: str
    version: str
    channels: tuple[str, ...]
    deprecated: str
    follows: bool
    fits: bool


def candidates(
    graph: Graph, channels: Iterable[str] = (), wanted: str = "", installed: tuple[str, str] = ("", "")
) -> tuple[Candidate, ...]:
    """All versions, the newest first.

    `wanted`: a version or range; `installed`: name and version of the installed bundle.
    """
    chosen = set(channels)
    entries: dict[str, ChannelEntry] = {}
    places: dict[str, list[str]] = {}
    following: set[str] = set()
    for channel in graph.channels:
        for entry in channel.entries:
            entries.setdefault(entry.name, entry)
            places.setdefault(entry.name, []).append(channel.name)
            if (not chosen or channel.name in chosen) and follows(entry, *installed):
                following.add(entry.name)
    found = [
        Candidate(
            name=name,
            version=entry.version,
            channels=tuple(places[name]),
            deprecated=entry.deprecated,
            follows=not installed[0] or name in following,
            fits=(not chosen or bool(chosen & set(places[name]))) and (not wanted or within(entry.version, wanted)),
        )
        for name, entry in entries.items()
    ]
    return tuple(sorted(found, key=lambda candidate: versions.key(candidate.version), reverse=True))


def resolved(found: tuple[Candidate, ...], *, self_certified: bool = False) -> Candidate | None:
    """The one that OLM would install; None: it says that there is none."""
    able = [candidate for candidate in found if candidate.fits and (candidate.follows or self_certified)]
    return min(able, key=lambda candidate: bool(candidate.deprecated), default=None)


def follows(entry: ChannelEntry, name: str, version: str) -> bool:
    """Whether an upgrade leads from (name, version) to this entry, or it is that one."""
    if not name:
        return True
    if name in (entry.name, entry.replaces) or name in entry.skips:
        return True
    return bool(entry.skip_range) and in_range(version, entry.skip_range)


def within(version: str, wanted: str) -> bool:
    """A range as github.com/Masterminds/semver reads it: `>=1.2, <2`, `~1.2`, `^0.3`.

    A version with a suffix fits only ranges that name one.
    """
    if "-" in version and "-" not in wanted:
        return False
    return in_range(version, _TILDE.sub(_spelt, wanted).replace(",", " "))


def _spelt(found: re.Match[str]) -> str:
    """~ and ^ as two bounds."""
    numbers = [int(part) for part in found.groups()[1:] if part and part.isdigit()]
    low = [*numbers, 0, 0][:3]
    if found[1] == "~":
        place = min(1, len(numbers) - 1)
    else:
        place = next((index for index, number in enumerate(numbers) if number), len(numbers) - 1)
    high = [*low[:place], low[place] + 1, 0, 0][:3]
    return f">={'.'.join(map(str, low))} <{'.'.join(map(str, high))}"
