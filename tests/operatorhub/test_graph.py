"""The upgrade graph drawn: lanes, rows and lines, also of graphs that are odd."""

import json
import time
from pathlib import Path

import pytest

from operatorhub.bundle import graph
from operatorhub.sources.drafts import Channel, ChannelEntry, Graph


def shop(*channels: Channel, edges_known: bool = True) -> Graph:
    return Graph(package="p", default=channels[0].name if channels else "", channels=channels, edges_known=edges_known)


STABLE = Channel(
    "stable",
    (
        ChannelEntry(name="p.v1.2.0", version="1.2.0", replaces="p.v1.1.0", skips=("p.v1.0.0",)),
        ChannelEntry(name="p.v1.1.0", version="1.1.0", replaces="p.v1.0.0"),
        ChannelEntry(name="p.v1.0.0", version="1.0.0", replaces="p.v0.9.0", deprecated="old"),
    ),
)
FAST = Channel(
    "fast",
    (ChannelEntry(name="p.v2.0.0", version="2.0.0", replaces="p.v1.2.0", skip_range=">=1.0.0 <2.0.0"), *STABLE.entries),
    deprecated="gone soon",
)


def kinds(drawing: graph.Drawing) -> list[str]:
    return sorted(edge.kind for edge in drawing.edges)


def test_rows_are_versions_with_the_newest_on_top() -> None:
    found = graph.draw(shop(STABLE, FAST), installed=["p.v1.1.0"], chosen=("stable", "p.v1.2.0"))
    assert [row.version for row in found.rows] == ["2.0.0", "1.2.0", "1.1.0", "1.0.0"]
    assert [row.y for row in found.rows] == sorted(row.y for row in found.rows)
    assert found.rows[0].channels == ("fast",)
    assert found.rows[1].heads == ("stable",)
    assert [row.installed for row in found.rows] == [False, False, True, False]
    assert found.rows[3].deprecated == "old"
    assert [(lane.name, lane.default, lane.deprecated) for lane in found.lanes] == [
        ("stable", True, ""),
        ("fast", False, "gone soon"),
    ]
    assert len(found.nodes) == 7
    assert [(node.channel, node.name) for node in found.nodes if node.chosen] == [("stable", "p.v1.2.0")]


def test_lines() -> None:
    found = graph.draw(shop(STABLE))
    assert kinds(found) == ["hole", "replaces", "replaces", "skips"]
    words = [edge.words for edge in found.edges]
    assert "1.2.0 replaces 1.1.0 in stable" in words
    assert "1.0.0 replaces p.v0.9.0, which isn't in stable" in words
    ranged = [edge for edge in graph.draw(shop(FAST)).edges if edge.kind == "range"]
    assert [item.words for item in ranged] == ["Every version in >=1.0.0 <2.0.0 can be updated to 2.0.0 in fast"]


def test_a_line_goes_around_what_lies_between() -> None:
    channel = Channel(
        "c",
        (
            ChannelEntry(name="c", version="3.0.0", replaces="a"),
            ChannelEntry(name="b", version="2.0.0"),
            ChannelEntry(name="a", version="1.0.0"),
        ),
    )
    (line,) = graph.draw(shop(channel)).edges
    assert "C" in line.path
    straight = Channel(
        "c", (ChannelEntry(name="b", version="2.0.0", replaces="a"), ChannelEntry(name="a", version="1.0.0"))
    )
    assert "C" not in graph.draw(shop(straight)).edges[0].path


@pytest.mark.parametrize(
    "channel",
    [
        Channel("empty", ()),
        Channel(
            "cycle",
            (
                ChannelEntry(name="a", version="1.0.0", replaces="b"),
                ChannelEntry(name="b", version="2.0.0", replaces="a"),
            ),
        ),
        Channel("itself", (ChannelEntry(name="a", version="1.0.0", replaces="a", skips=("a",), skip_range="<=1.0.0"),)),
        Channel(
            "no versions", (ChannelEntry(name="a", version="", replaces="b"), ChannelEntry(name="b", version="banana"))
        ),
        Channel(
            "odd range",
            (ChannelEntry(name="a", version="1.0.0", skip_range="]]what"), ChannelEntry(name="b", version="0.1.0")),
        ),
        Channel("x" * 253, (ChannelEntry(name="y" * 253, version="1.0.0"),)),
    ],
)
def test_odd_graphs_are_drawn(channel: Channel) -> None:
    found = graph.draw(shop(channel))
    assert len(found.rows) == len(channel.entries)
    assert found.height > 0


def test_no_package_at_all() -> None:
    assert graph.draw(shop()).rows == ()


def test_old_versions_are_folded_but_never_the_ones_that_matter() -> None:
    entries = tuple(
        ChannelEntry(name=f"p.v1.{n}.0", version=f"1.{n}.0", replaces=f"p.v1.{n - 1}.0") for n in range(299, -1, -1)
    )
    whole = shop(Channel("c", entries))
    started = time.process_time()
    found = graph.draw(whole, installed=["p.v1.3.0"], chosen=("c", "p.v1.7.0"))
    assert (len(found.rows), found.folded) == (32, 268)
    assert [row.version for row in found.rows][-2:] == ["1.7.0", "1.3.0"]
    assert len(graph.draw(whole, most=0).rows) == 300
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    ("version", "wanted", "inside"),
    [
        ("1.5.0", ">=1.0.0 <2.0.0", True),
        ("2.0.0", ">=1.0.0 <2.0.0", False),
        ("2.0.0", "<1.0.0 || >=2.0.0", True),
        ("1.5.0", "1.x", True),
        ("2.5.0", "1.x", False),
        ("1.2.3", "1.2.3", True),
        ("1.2.3", "!1.2.3", False),
        ("1.2.3", ">1.2", False),
        ("1.3.0", ">1.2", True),
        ("1.2.3", "<=1.2", True),
        ("1.0.0-rc1", "<1.0.0", True),
        ("banana", ">=0.0.0", False),
        ("1.0.0", "", False),
    ],
)
def test_ranges(version: str, wanted: str, inside: bool) -> None:
    assert graph.in_range(version, wanted) is inside


def test_all_real_graphs(real_catalog: Path) -> None:
    for file in sorted(real_catalog.glob("*/package.json")):
        found = json.loads(file.read_text())
        channels = tuple(
            Channel(
                channel["name"],
                tuple(
                    ChannelEntry(
                        name=each["name"],
                        version=each.get("version", ""),
                        replaces=each.get("replaces", ""),
                        skips=tuple(each.get("skips", ())),
                        skip_range=each.get("skipRange", ""),
                    )
                    for each in channel["entries"]
                ),
            )
            for channel in found["channels"]
        )
        drawing = graph.draw(
            Graph(
                package=found["name"], default=found.get("defaultChannel") or "", channels=channels, edges_known=True
            ),
            most=0,
        )
        assert len(drawing.rows) == len({each.name for channel in channels for each in channel.entries}), file
        assert len(drawing.nodes) == sum(len(channel.entries) for channel in channels)
