"""Which versions OLM passes on the way to a channel's newest one. Pure.

A version follows another by `replaces`, `skips` or `skipRange`; of several that follow, OLM takes the one nearest to
the channel's head.
https://olm.operatorframework.io/docs/concepts/olm-architecture/operator-catalog/creating-an-update-graph/
"""

from dataclasses import dataclass

from operatorhub import versions
from operatorhub.bundle.graph import in_range
from operatorhub.sources.drafts import Channel, ChannelEntry, Graph


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
    channel = next((channel for channel in graph.channels if channel.name == channel_name), None)
    if channel is None or not channel.entries or not graph.edges_known:
        return None
    head, passed, current = channel.entries[0], [], installed
    while (following := _next_version(channel, current)) is not None and following not in passed:
        passed.append(following)
        current = following
    older = versions.key(head.version) < versions.key(installed.version)
    return UpdatePath(head, tuple(passed), older)


def _next_version(channel: Channel, current: ChannelEntry) -> ChannelEntry | None:
    """Entries are the newest first. One whose own skipRange has its version follows itself for OLM, and so stays."""
    found = next((entry for entry in channel.entries if _version_follows(entry, current)), None)
    return None if found is None or found.name == current.name else found


def _version_follows(entry: ChannelEntry, current: ChannelEntry) -> bool:
    skipped = entry.skip_range and in_range(current.version, entry.skip_range)
    return entry.replaces == current.name or current.name in entry.skips or bool(skipped)
