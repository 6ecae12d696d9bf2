"""Fields are found by name, label, path and description, wherever they are, and quickly."""

import time

import pytest

from resources.forms import search
from resources.forms.descriptors import Descriptor, Descriptors
from resources.forms.schema import Schema
from tests.forms import kinds

TEXT = {"type": "string"}
USERS = {
    "type": "array",
    "items": {"type": "object", "properties": {"name": {**TEXT, "description": "Who it is."}, "role": TEXT}},
}
SPEC = {
    "type": "object",
    "properties": {
        "replicas": {"type": "integer", "description": "How many there are."},
        "minReplicas": {"type": "integer"},
        "serviceURL": {**TEXT, "description": "Where replicas are reached."},
        "users": USERS,
        "limits": {"type": "object", "additionalProperties": {"type": "object", "properties": {"cpu": TEXT}}},
        "a/b@c": TEXT,
        "server": {
            "type": "object",
            "properties": {"tls": {"type": "object", "properties": {"enabled": {"type": "boolean"}}}},
        },
    },
}
SCHEMA = Schema.from_document({"type": "object", "properties": {"spec": SPEC, "status": SPEC}})


def find(text: str, obj: object = None) -> list[tuple[str, str]]:
    return [(hit.where, hit.pointer) for hit in search.find(SCHEMA, obj, Descriptors(), text)]


def test_the_very_name_comes_first_then_its_likes_then_words_about_it() -> None:
    assert [where for where, _ in find("replicas")] == ["spec.replicas", "spec.minReplicas", "spec.serviceURL"]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("Service URL", "spec.serviceURL"),
        ("server tls", "spec.server.tls"),
        ("SERVER.TLS.ENABLED", "spec.server.tls.enabled"),
        ("how many", "spec.replicas"),
        ("labels", "metadata.labels"),
        ("a/b", "spec.a/b@c"),
    ],
)
def test_labels_paths_and_several_words(text: str, where: str) -> None:
    assert find(text)[0][0] == where


def test_status_and_nonsense_are_not_found() -> None:
    assert not any(where.startswith("status") for where, _ in find("replicas"))
    assert find("zzz") == []
    assert find("  ") == []


def test_items_that_are_there_are_named_one_by_one() -> None:
    obj = {"spec": {"users": [{"name": "a"}, {"name": "b"}], "limits": {"x": {}}}}
    assert find("users name", obj) == [
        ("spec.users[0].name", "/spec/users/@0/name"),
        ("spec.users[1].name", "/spec/users/@1/name"),
    ]
    assert find("cpu", obj) == [("spec.limits.x.cpu", "/spec/limits/@0/cpu")]
    assert find("cpu") == [("spec.limits.*.cpu", "/spec/limits")]
    assert find("role") == [("spec.users[].role", "/spec/users")]
    assert find("a/b@c") == [("spec.a/b@c", "/spec/a~1b@c")]


def test_an_operator_s_own_names_count() -> None:
    described = Descriptors(
        {("spec", "replicas"): Descriptor(display_name="Number of brokers", description="Size of the cluster")}
    )
    hits = search.find(SCHEMA, None, described, "brokers")
    assert [(hit.where, hit.label) for hit in hits] == [("spec.replicas", "Number of brokers")]


def test_schemas_that_refer_to_themselves_end() -> None:
    components = {
        "schemas": {
            "Tree": {"type": "object", "properties": {"leaf": TEXT, "below": {"$ref": "#/components/schemas/Tree"}}}
        }
    }
    schema = Schema.from_document(
        {"type": "object", "properties": {"spec": {"$ref": "#/components/schemas/Tree"}}, "components": components}
    )
    assert next(hit.where for hit in search.find(schema, None, Descriptors(), "leaf")) == "spec.leaf"


@pytest.mark.skipif(not kinds.CATALOG.is_dir(), reason=f"the catalog is not at {kinds.CATALOG}")
def test_a_schema_of_3600_nodes_is_searched_in_no_time() -> None:
    kind = next(kind for kind in kinds.catalog("argocds.argoproj.io") if kind.id == "ArgoCD.v1beta1.argoproj.io")
    schema, obj = Schema.from_document(kind.schema), kind.object()
    assert len(search.entries(schema, Descriptors())) > 3000
    for text in ("replicas", "server host", "zzz", "e", "the"):
        began = time.process_time()
        search.find(schema, obj, Descriptors(), text)
        # A bound, thirty times what it takes.
        assert time.process_time() - began < 1, text
