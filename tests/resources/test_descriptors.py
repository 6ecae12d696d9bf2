"""The status in its operator's words: what descriptors pick out, also of statuses that do not look like them."""

from types import SimpleNamespace
from typing import Any

import pytest

from kube.errors import NotFound
from resources.page.values import LENGTH, StatusValue, status_values


class Kinds:
    """A cluster that serves Services only."""

    def find_kind(self, _group: str, kind: str, _version: str = "") -> Any:
        if kind != "Service":
            raise NotFound(f"{kind} is unknown")
        return SimpleNamespace(namespaced=True)


@pytest.fixture
def kinds() -> Any:
    return Kinds()


def described(kinds: Any, status: Any, path: str, *descriptors: str, **more: str) -> tuple[StatusValue, ...]:
    obj = {"metadata": {"name": "a", "namespace": "home"}, "status": status}
    return status_values(kinds, obj, [{"path": path, "x-descriptors": list(descriptors), **more}])


UI = "urn:alm:descriptor:com.tectonic.ui:"
K8S = "urn:alm:descriptor:io.kubernetes"


def test_pods_are_parts_of_a_ring(kinds: Any) -> None:
    status = {"members": {"ready": ["a-0", "a-1", "a-2"], "failed": ["a-3"], "starting": []}}
    (item,) = described(kinds, status, "members", f"{UI}podStatuses", displayName="Members")
    assert (item.label, item.look, item.count) == ("Members", "pods", 4)
    assert [(part.state, part.count, part.colour) for part in item.slices] == [
        ("ready", 3, "green"),
        ("failed", 1, "red"),
    ]
    lengths = [float(part.length.split()[0]) for part in item.slices]
    assert sum(lengths) == pytest.approx(LENGTH, abs=0.1)
    assert float(item.slices[1].start) == pytest.approx(-lengths[0], abs=0.1)


@pytest.mark.parametrize("empty", [{}, {"ready": []}, {"ready": None}])
def test_no_pods(kinds: Any, empty: Any) -> None:
    (item,) = described(kinds, {"members": empty}, "members", f"{UI}podStatuses")
    assert (item.look, item.text, item.slices, item.wrong) == ("pods", "No Pods", (), False)


@pytest.mark.parametrize("other", ["ready", 3, ["a"], {"ready": 3}])
def test_pods_in_another_shape_are_shown_as_they_are(kinds: Any, other: Any) -> None:
    (item,) = described(kinds, {"members": other}, "members", f"{UI}podStatuses")
    assert (item.look, item.wrong) == ("code", True)


def test_only_web_addresses_are_links(kinds: Any) -> None:
    for value, expected in (
        ("https://example.com/x", "link"),
        ("javascript:alert(1)", "text"),
        ("quay.io/org/image:1", "text"),
        ("https://", "text"),
    ):
        (item,) = described(kinds, {"url": value}, "url", "urn:alm:descriptor:org.w3:link")
        assert (item.look, item.text) == (expected, value)


def test_phases_reasons_and_texts(kinds: Any) -> None:
    (phase,) = described(kinds, {"phase": "Failed"}, "phase", f"{K8S}.phase")
    assert (phase.look, phase.text, phase.colour) == ("phase", "Failed", "red")
    (reason,) = described(kinds, {"reason": "a\nb"}, "reason", f"{K8S}.phase:reason")
    assert (reason.look, reason.text) == ("code", "a\nb")
    (text,) = described(kinds, {"version": 3}, "version", "urn:alm:descriptor:text")
    assert (text.look, text.text) == ("text", "3")
    (switch,) = described(kinds, {"on": False}, "on", f"{UI}booleanSwitch")
    assert switch.look == "no"
    (secret,) = described(kinds, {"key": "s3cret"}, "key", f"{UI}password")
    assert secret.look == "secret"


def test_a_list_of_names_is_a_text(kinds: Any) -> None:
    """status.nodes of Operator SDK's Memcached: it was shown as JSON that its descriptor doesn't expect."""
    (names,) = described(kinds, {"nodes": ["a-1", "a-2"]}, "nodes", "urn:alm:descriptor:text")
    assert (names.look, names.text, names.wrong) == ("text", "a-1, a-2", False)
    (none,) = described(kinds, {"nodes": []}, "nodes", "urn:alm:descriptor:text")
    assert (none.look, none.text, none.wrong) == ("text", "", False)
    (other,) = described(kinds, {"nodes": [{"name": "a"}]}, "nodes", "urn:alm:descriptor:text")
    assert (other.look, other.wrong) == ("code", True)


def test_names_of_objects_are_links_where_the_kind_is_served(kinds: Any) -> None:
    (service,) = described(kinds, {"name": "db"}, "name", f"{K8S}:Service")
    assert service.look == "object" and service.link is not None
    assert (service.link.name, service.link.namespace, service.link.type is not None) == ("db", "home", True)
    (other,) = described(kinds, {"name": "x"}, "name", f"{K8S}:example.com:v1:Odd")
    assert other.link is not None and other.link.type is None and other.link.kind == "Odd"


def test_paths_through_lists_repeat(kinds: Any) -> None:
    status = {"configs": [{"name": "a"}, {"name": "b"}, {}]}
    found = described(kinds, status, "configs[0].name", "urn:alm:descriptor:text", displayName="Name")
    assert [(item.label, item.text) for item in found] == [("Name 1", "a"), ("Name 2", "b")]


@pytest.mark.parametrize(
    ("status", "path", "descriptor"),
    [
        ({}, "phase", f"{K8S}.phase"),
        (None, "phase", f"{K8S}.phase"),
        ("text", "phase", f"{K8S}.phase"),
        ({"a": "text"}, "a.b.c", "urn:alm:descriptor:text"),
        ({"a": 1}, "a", f"{UI}hidden"),
        ({"conditions": []}, "conditions", f"{K8S}.conditions"),
    ],
)
def test_what_is_not_there_is_left_out(kinds: Any, status: Any, path: str, descriptor: str) -> None:
    assert described(kinds, status, path, descriptor) == ()


def test_conditions_of_another_place_are_conditions(kinds: Any) -> None:
    entry = {"type": "Ready", "status": "False", "reason": "Slow", "message": "It starts."}
    (item,) = described(kinds, {"members": [entry]}, "members", f"{K8S}.conditions", displayName="Of the members")
    assert (item.label, item.look) == ("Of the members", "conditions")
    assert [(found.type, found.status, found.reason, found.good) for found in item.conditions] == [
        ("Ready", "False", "Slow", False)
    ]
    (other,) = described(kinds, {"members": "none"}, "members", f"{K8S}.conditions")
    assert (other.look, other.text) == ("text", "none")


def test_malformed_descriptors(kinds: Any) -> None:
    obj = {"metadata": {"name": "a"}, "status": {"a": 1}}
    assert status_values(kinds, obj, [{}, {"path": None}, {"path": 3}, {"path": "a", "x-descriptors": "no list"}]) == (
        StatusValue(label="a", help="", look="text", text="1"),
    )
    assert status_values(kinds, obj, [{"path": "status.a"}]) == (
        StatusValue(label="status.a", help="", look="text", text="1"),
    )
