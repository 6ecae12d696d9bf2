"""What a source of a catalog gives: its packages' graphs and its bundles, one after the other, and what it could not read. Pure.

The sources know nothing of each other, of the database or of who asked: they read, and yield these.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """A version in a channel, as FBC's olm.channel names it. `deprecated`: the message, '' when it is not."""

    name: str
    version: str
    replaces: str = ""
    skips: tuple[str, ...] = ()
    skip_range: str = ""
    deprecated: str = ""


@dataclass(frozen=True, slots=True)
class Channel:
    """`entries`: newest first."""

    name: str
    entries: tuple[Entry, ...]
    deprecated: str = ""


@dataclass(frozen=True, slots=True)
class Graph:
    """A package's channels, its default one first. `edges_known` False: only names and versions are known. `problems`: what is odd, in words."""

    package: str
    default: str
    channels: tuple[Channel, ...]
    edges_known: bool
    deprecated: str = ""
    problems: tuple[str, ...] = ()
