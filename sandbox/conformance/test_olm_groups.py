"""OLM: OperatorGroups, and ClusterServiceVersions that do not fit into theirs"""

from collections.abc import Iterator
from uuid import uuid4

import pytest

from tests.api import Api

from .observations import Seen
from .olm import Olm, condition, csv_spec, history

MODES = ("OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces")


@pytest.fixture
def others(api: Api, seen: Seen) -> Iterator[list[str]]:
    """Two more namespaces with the label tea=<one of its own>; their names sort as they stand."""
    text = uuid4().hex[:6]
    names = [f"conformance-{text}-1", f"conformance-{text}-2"]
    for number, name in enumerate(names):
        seen.alias(f"other {number + 1}", name)
        assert api.post("/api/v1/namespaces", {"metadata": {"name": name, "labels": {"tea": text}}}).status == 201
    seen.alias("tea", text)
    yield names
    for name in names:
        api.delete(f"/api/v1/namespaces/{name}")


def group(olm: Olm, name: str = "group") -> dict:
    """An OperatorGroup as soon as it has a status."""
    found: dict = olm.api.until(
        olm.path("operatorgroups", name), lambda item: (item.get("status") or {}).get("namespaces")
    )
    return found


def csv(olm: Olm, *modes: str, name: str = "tea.v1.0.0") -> None:
    """A ClusterServiceVersion that supports these install modes and needs nothing."""
    assert olm.make("clusterserviceversions", name, csv_spec(*modes)).status == 201


def failure(olm: Olm, reason: str, name: str = "tea.v1.0.0") -> dict[str, str]:
    status = olm.csv_because(name, reason)["status"]
    return {key: status[key] for key in ("phase", "reason", "message")}


def test_target_namespaces(seen: Seen, olm: Olm) -> None:
    """An OperatorGroup with targetNamespaces means exactly those"""
    seen("create", olm.group())
    seen.value("then", group(olm))


def test_all_namespaces(seen: Seen, olm: Olm) -> None:
    """An OperatorGroup that says nothing means every namespace"""
    seen("create", olm.make("operatorgroups", "group", {}))
    seen.value("then", group(olm)["status"])


def test_selector(seen: Seen, olm: Olm, others: list[str]) -> None:
    """A selector means the namespaces whose labels fit"""
    text = others[0].split("-")[1]
    olm.group(selector={"matchLabels": {"tea": text}})
    found = olm.api.until(
        olm.path("operatorgroups", "group"), lambda item: len((item.get("status") or {}).get("namespaces", [])) == 2
    )
    seen.value("both", sorted(found["status"]["namespaces"]))


def test_both_is_too_much(seen: Seen, olm: Olm, others: list[str]) -> None:
    """A selector beside targetNamespaces is ignored"""
    olm.group(targetNamespaces=[olm.namespace], selector={"matchLabels": {"tea": others[0].split("-")[1]}})
    seen.value("status", group(olm)["status"])


def test_several_targets(seen: Seen, olm: Olm, others: list[str]) -> None:
    """The targets are listed in order, whatever the order they were given in"""
    olm.group(targetNamespaces=[others[1], others[0]])
    csv(olm, *MODES)
    found = olm.csv("tea.v1.0.0", "Succeeded")
    names = found["metadata"]["annotations"]["olm.targetNamespaces"].split(",")
    assert sorted(names) == others
    seen.value("group", sorted(group(olm)["status"]["namespaces"]))


def test_validation(seen: Seen, olm: Olm) -> None:
    """What an OperatorGroup's fields may hold is checked"""
    seen("a text", olm.group(targetNamespaces="tea"))
    seen("an unknown strategy", olm.group(upgradeStrategy="Sideways"))
    seen("a name that is none", olm.make("operatorgroups", "A_b", {}))


def test_deleted_group(seen: Seen, olm: Olm) -> None:
    """When the OperatorGroup goes, its ClusterRoles go, and its CSV has failed"""
    olm.group()
    csv(olm, *MODES)
    olm.csv("tea.v1.0.0", "Succeeded")
    query = f"labelSelector=olm.owner=group,olm.owner.namespace={olm.namespace}"
    roles = f"/apis/rbac.authorization.k8s.io/v1/clusterroles?{query}"
    olm.api.until(roles, lambda found: len(found["items"]) == 3)
    seen("delete", olm.api.delete(olm.path("operatorgroups", "group")), only=["status"])
    olm.api.until(roles, lambda found: not found["items"])
    olm.csv_after_a_look("tea.v1.0.0", lambda status: status["reason"] == "NoOperatorGroup")
    seen.value("csv", failure(olm, "NoOperatorGroup"))


def test_no_group(seen: Seen, olm: Olm) -> None:
    """A CSV in a namespace without an OperatorGroup fails, and recovers when there is one"""
    csv(olm, *MODES)
    seen.value("none", failure(olm, "NoOperatorGroup"))
    olm.group()
    found = olm.csv("tea.v1.0.0", "Succeeded")
    seen.value("phases", history(found))


def test_two_groups(seen: Seen, olm: Olm) -> None:
    """Two OperatorGroups in one namespace are one too many, for the CSV and for themselves"""
    olm.group("one")
    olm.group("two")
    csv(olm, *MODES)
    seen.value("csv", failure(olm, "TooManyOperatorGroups"))
    for name in ("one", "two"):
        path = olm.path("operatorgroups", name)
        found = olm.api.until(path, lambda item: condition(item.get("status") or {}, "MultipleOperatorGroup"))
        seen.value(name, found["status"], without=["lastUpdated"])
    olm.api.delete(olm.path("operatorgroups", "two"))
    olm.csv("tea.v1.0.0", "Succeeded")


@pytest.mark.parametrize("mode", MODES)
def test_install_modes(seen: Seen, olm: Olm, others: list[str], mode: str) -> None:
    """A CSV without the install mode that its group asks for fails and says which one"""
    targets = {
        "OwnNamespace": [olm.namespace],
        "SingleNamespace": others[:1],
        "MultiNamespace": others,
        "AllNamespaces": [],
    }
    olm.make("operatorgroups", "group", {"targetNamespaces": targets[mode]} if targets[mode] else {})
    csv(olm, *(other for other in MODES if other != mode))
    seen.value("failure", failure(olm, "UnsupportedOperatorGroup"))


def test_own_among_many(seen: Seen, olm: Olm, others: list[str]) -> None:
    """Several namespaces with its own among them need OwnNamespace too"""
    olm.group(targetNamespaces=[*others, olm.namespace])
    csv(olm, "MultiNamespace")
    seen.value("failure", failure(olm, "UnsupportedOperatorGroup"))


def test_it_fits_again(seen: Seen, olm: Olm) -> None:
    """A CSV that did not fit recovers when its OperatorGroup changes"""
    olm.make("operatorgroups", "group", {})
    csv(olm, "OwnNamespace")
    seen.value("failure", failure(olm, "UnsupportedOperatorGroup"))
    olm.api.patch(olm.path("operatorgroups", "group"), {"spec": {"targetNamespaces": [olm.namespace]}})
    found = olm.csv("tea.v1.0.0", "Succeeded")
    seen.value("phases", history(found))
    seen.value("annotations", found["metadata"]["annotations"])


def test_no_target_that_exists(seen: Seen, olm: Olm) -> None:
    """A selector that fits no namespace is a group without targets"""
    olm.group(selector={"matchLabels": {"tea": uuid4().hex}})
    csv(olm, *MODES)
    seen.value("failure", failure(olm, "NoTargetNamespaces"))
