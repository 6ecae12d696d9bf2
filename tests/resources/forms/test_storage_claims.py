"""F1: what a volume asks for is a size, and what a container asks for is any resource by its name."""

from typing import Any

import pytest

from resources.forms import build, search
from resources.forms.descriptors import Descriptors
from resources.forms.fields import FormField, Options
from resources.forms.kubernetes_types import QUANTITY
from resources.forms.schema import Schema
from tests.forms.kinds import Kind
from tests.forms.page import Form
from tests.forms.person import BOX, OTHER, YAML, Person

AMOUNTS = {"type": "object", "additionalProperties": QUANTITY}
RESOURCES = {"type": "object", "properties": {"limits": AMOUNTS, "requests": AMOUNTS}}
MODES = {"type": "array", "items": {"type": "string"}}
TEXT = {"type": "string"}
CLAIM = {
    "type": "object",
    "properties": {"accessModes": MODES, "resources": RESOURCES, "storageClassName": TEXT, "volumeMode": TEXT},
}
SPEC = {"type": "object", "properties": {"claim": CLAIM, "resources": RESOURCES}}
CRD = {
    "spec": {
        "group": "example.com",
        "names": {"plural": "stores", "kind": "Store"},
        "scope": "Namespaced",
        "versions": [{"name": "v1", "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": SPEC}}}}],
    }
}
FORM = Form.of_kind(Kind(CRD, "v1", ()))
OBJECT = {
    "claim": {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "10Gi"}},
        "storageClassName": "fast",
        "volumeMode": "Block",
    },
    "resources": {"limits": {"cpu": 1, "ephemeral-storage": "1Gi", "nvidia.com/gpu": 2}, "requests": {"a/b": "1"}},
}


def fields(obj: dict[str, Any]) -> dict[str, FormField]:
    """Every field of the form by its pointer."""
    found: dict[str, FormField] = {}
    todo = list(build.Builder(FORM.schema, Options()).top(obj))
    while todo:
        field = todo.pop()
        found[field.pointer] = field
        todo += field.children
    return found


def test_f1_a_claim_has_a_size_and_choices_and_no_processors() -> None:
    found = fields({"spec": OBJECT})
    assert found["/spec/claim/resources/requests/storage"].widget == "quantity"
    assert "/spec/claim/resources/requests/cpu" not in found
    modes = found["/spec/claim/accessModes/@0"]
    assert {"ReadWriteOnce", "ReadWriteMany"} <= {option.value for option in modes.options}
    assert {option.value for option in found["/spec/claim/volumeMode"].options} == {"Filesystem", "Block"}
    assert found["/spec/claim/storageClassName"].extra.picker == "storage.k8s.io/StorageClass"


@pytest.mark.parametrize("beside", ["accessModes", "storageClassName", "volumeName", "dataVolumeClaimSpec"])
def test_f1_claims_are_known_by_what_stands_beside_or_around(beside: str) -> None:
    inner = {"type": "object", "properties": {"resources": RESOURCES}}
    if beside != "dataVolumeClaimSpec":
        inner["properties"][beside] = TEXT  # type: ignore[index]
    name = beside if beside == "dataVolumeClaimSpec" else "data"
    root = {"type": "object", "properties": {"spec": {"type": "object", "properties": {name: inner}}}}
    schema = Schema.from_document(root)
    made = build.at(schema, {}, f"/spec/{name}/resources/requests", Options())
    assert [child.path[-1] for child in made.children] == ["storage"]
    hits = search.find(schema, {}, Descriptors(), "storage")
    assert any(hit.path[-1] == "storage" for hit in hits)


@pytest.mark.parametrize("beside", [{"storageClassName", "version"}, {"accessModes", "image"}, {"volumeClaims"}, set()])
def test_f1_what_runs_containers_is_no_claim(beside: set[str]) -> None:
    inner = {"type": "object", "properties": {"resources": RESOURCES, **dict.fromkeys(beside, TEXT)}}
    schema = Schema.from_document({"type": "object", "properties": {"spec": inner}})
    made = build.at(schema, {}, "/spec/resources/requests", Options())
    assert [child.path[-1] for child in made.children] == ["cpu", "memory", "ephemeral-storage"]


def test_f1_a_container_has_any_resource_by_its_name() -> None:
    found = fields({"spec": OBJECT})
    assert {"cpu", "memory", "ephemeral-storage"} <= {
        pointer.rpartition("/")[2] for pointer in found if pointer.startswith("/spec/resources/limits/")
    }
    row = found["/spec/resources/limits/@2"]
    assert (row.key, row.text, row.widget) == ("nvidia.com/gpu", "2", "quantity")
    assert found["/spec/resources/limits"].others is None


@pytest.mark.parametrize("scripted", [True, False])
def test_f1_all_of_it_has_controls_of_its_own(scripted: bool) -> None:
    person = Person(page=FORM.open(FORM.begin(None)), scripted=scripted)
    person.fill_object("/spec", OBJECT)
    assert not person.ways.keys() & {BOX, OTHER, YAML}
    assert person.page.submit().object["spec"] == OBJECT


def test_f1_rows_are_renamed_removed_and_refused_twice() -> None:
    page = FORM.open(FORM.begin({"spec": OBJECT}))
    (key,) = page.named("k:/spec/resources/limits/@2")
    key.value = "amd.com/gpu"
    (amount,) = page.named("k:/spec/resources/requests/@0")
    amount.value = "cpu"
    limits = page.submit().object["spec"]["resources"]
    assert limits == {
        "limits": {"cpu": 1, "ephemeral-storage": "1Gi", "amd.com/gpu": 2},
        "requests": {"cpu": "1"},
    }
    key.value = "cpu"
    assert [problem.code for problem in page.submit().problems] == ["key"]
    page.press("~remove", "/spec/resources/limits/@2")
    assert "nvidia.com/gpu" not in page.submit().object["spec"]["resources"]["limits"]


def test_f1_an_object_that_is_sent_untouched_comes_back() -> None:
    many = {f"example.com/r{number}": number for number in range(300)}
    for amounts in ({"cpu": 1, "x": "1"}, {"x": "1", "cpu": 1}, many, {}):
        obj = FORM.begin({"spec": {"resources": {"limits": amounts}}})
        assert FORM.open(obj).submit().object == obj
