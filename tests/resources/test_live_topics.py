"""The topics that a region follows: of types that are served and that aren't, in a namespace and in all."""

from kube.client import ClusterClient
from resources import live_topics

WIDGETS = ("example.com", "v1", "widgets")


def test_types_and_their_names_have_the_same_topics(client: ClusterClient) -> None:
    pods = client.find("", "v1", "pods")
    named = live_topics.topics(client, live_topics.PODS, namespace="default")
    assert named == live_topics.topics(client, pods, namespace="default") == f"{client.name}/core/v1/pods/default"
    assert live_topics.topics(client, live_topics.PODS) == live_topics.topics(client, pods)


def test_several_types_are_divided_by_blanks_and_come_once(client: ClusterClient) -> None:
    types = (live_topics.DEPLOYMENTS, live_topics.PODS, live_topics.DEPLOYMENTS)
    found = live_topics.topics(client, *types, namespace="default").split(" ")
    assert found == [live_topics.topics(client, type_, namespace="default") for type_ in types[:2]]
    assert live_topics.topics(client) == ""


def test_a_type_that_is_not_served_has_a_topic(client: ClusterClient) -> None:
    assert "example.com/v1/widgets" in live_topics.topics(client, WIDGETS)


def test_a_cluster_scoped_type_has_no_namespace(client: ClusterClient) -> None:
    nodes = client.find("", "v1", "nodes")
    assert live_topics.topics(client, nodes, namespace="default") == live_topics.topics(client, nodes)
    assert live_topics.topics(client, ("", "v1", "nodes"), namespace="default") == live_topics.topics(client, nodes)
