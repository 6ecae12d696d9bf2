"""H11: a change of channel says where it leads from the version that runs."""

import dataclasses
from typing import Any

import pytest

from operatorhub import olm
from operatorhub.bundle import graph
from operatorhub.running.updates import Update
from operatorhub.sources.drafts import Channel, ChannelEntry, Graph
from operatorhub.upgrade import subscription
from operatorhub.upgrade.subscription import SubscriptionForm, SubscriptionPage

GRAPH = Graph(
    package="grafana",
    default="v5",
    channels=(
        Channel(
            "v5",
            (
                ChannelEntry(name="g.v5.24.0", version="5.24.0", replaces="g.v5.23.0", skips=("g.v5.22.0",)),
                ChannelEntry(name="g.v5.23.0", version="5.23.0", replaces="g.v5.22.0"),
                ChannelEntry(name="g.v5.22.0", version="5.22.0"),
            ),
        ),
        Channel("alpha", (ChannelEntry(name="g.v5.0.2", version="5.0.2"),)),
        Channel(
            "v6",
            (
                ChannelEntry(name="g.v6.1.0", version="6.1.0", replaces="g.v6.0.0"),
                ChannelEntry(name="g.v6.0.0", version="6.0.0", skip_range="<6.0.0"),
            ),
        ),
        Channel(
            "endless",
            (
                ChannelEntry(name="g.v9.1.0", version="9.1.0", replaces="g.v9.0.0", skip_range=">9.0.0"),
                ChannelEntry(name="g.v9.0.0", version="9.0.0", skip_range=">8.0.0"),
            ),
        ),
        Channel("island", (ChannelEntry(name="g.v7.0.0", version="7.0.0"),)),
    ),
    edges_known=True,
)
NEWEST = ChannelEntry(name="g.v5.24.0", version="5.24.0")


@pytest.mark.parametrize(
    ("channel", "installed", "passed", "older"),
    [
        ("v5", "5.22.0", ["5.24.0"], False),
        ("v5", "5.23.0", ["5.24.0"], False),
        ("v5", "5.24.0", [], False),
        ("alpha", "5.24.0", [], True),
        ("v6", "5.24.0", ["6.0.0", "6.1.0"], False),
        ("endless", "9.1.0", [], False),
        ("endless", "9.0.0", ["9.1.0"], False),
        ("island", "5.24.0", [], False),
    ],
)
def test_the_versions_that_an_update_passes(channel: str, installed: str, passed: list[str], *, older: bool) -> None:
    """H11."""
    found = graph.path_of_updates(GRAPH, channel, ChannelEntry(name=f"g.v{installed}", version=installed))
    assert found is not None
    assert [entry.version for entry in found.passed] == passed
    assert found.older is older


def test_what_the_catalog_does_not_have_is_no_way() -> None:
    """As argocd-operator 0.15.0, when a catalog has only 0.17.0 and 0.18.0, which replaces it."""
    versions = ["1.4.0", "1.3.0", "1.2.0", "1.1.0"]
    entries = tuple(
        ChannelEntry(name=f"a.v{version}", version=version, replaces=f"a.v{older}")
        for version, older in zip(versions, [*versions[1:], "1.0.0"], strict=True)
    )
    whole = Graph(package="a", default="alpha", channels=(Channel("alpha", entries),), edges_known=True)
    installed = entries[-1]
    found = graph.path_of_updates(whole, "alpha", installed)
    assert found is not None
    assert [entry.version for entry in found.passed] == ["1.2.0", "1.3.0", "1.4.0"]
    found = graph.path_of_updates(dataclasses.replace(whole, missing=("a.v1.2.0", "a.v1.1.0")), "alpha", installed)
    assert found is not None
    assert (found.passed, found.reaches) == ((), False)


def test_only_the_chain_from_the_head_is_updated_to() -> None:
    """OLM sorts a channel by `replaces` from its head, and updates only along this chain, around skipped versions."""
    entries = (
        ChannelEntry(name="a.v3", version="3.0.0", replaces="a.v2", skips=("a.v2",)),
        ChannelEntry(name="a.v2.5", version="2.5.0", replaces="a.v0.5"),
        ChannelEntry(name="a.v2", version="2.0.0", replaces="a.v1"),
        ChannelEntry(name="a.v1", version="1.0.0", replaces="a.v0"),
    )
    channel = Graph(package="a", default="c", channels=(Channel("c", entries),), edges_known=True)

    def passed(version: str) -> list[str]:
        found = graph.path_of_updates(channel, "c", ChannelEntry(name=f"a.v{version}", version=f"{version}.0.0"))
        assert found is not None
        return [entry.version for entry in found.passed]

    assert passed("2") == ["3.0.0"]
    assert passed("1") == []
    assert passed("0") == ["1.0.0"]
    assert passed("0.5") == []
    assert graph.stranded(channel, "c") == {"a.v2.5", "a.v1"}
    assert graph.stranded(dataclasses.replace(channel, edges_known=False), "c") == frozenset()


def test_edges_that_nobody_knows_lead_nowhere_known() -> None:
    unknown = dataclasses.replace(GRAPH, edges_known=False)
    assert graph.path_of_updates(unknown, "alpha", NEWEST) is None
    assert graph.path_of_updates(GRAPH, "none", NEWEST) is None


@pytest.mark.parametrize(
    ("channel", "sentence", "automatic"),
    [
        ("alpha", "older than the installed 5.24.0", False),
        ("v6", "5.24.0 to: 6.0.0, 6.1.0", True),
        ("island", "No version", False),
    ],
)
def test_a_change_of_channel_says_where_it_leads(channel: str, sentence: str, *, automatic: bool) -> None:
    """H11: the dry run, the form and the API say it before the change."""
    sub = olm.subscription(
        {"spec": {"channel": "v5"}, "status": {"installedCSV": "g.v5.24.0", "currentCSV": "g.v5.24.0"}}
    )
    nothing: Any = ()
    page = SubscriptionPage(
        object={},
        sub=sub,
        update=Update(state="", word=""),
        catalog_state="",
        heads=nothing,
        graph_problem="",
        plan=None,
        others_manual=(),
        others_automatic=(),
        neighbours=(),
        sources=nothing,
        config={},
        graph=GRAPH,
    )
    found = subscription.warnings(SubscriptionForm(page, {"channel": channel}))
    assert sentence in found[0]
    assert any("automatic approval" in words for words in found) is automatic
