"""What the console says about an object is what the API server answers: the same fields, the same words, nothing more.

FORMS=all tries every kind of the catalog; --kubeconfig asks a real cluster.
"""

import gzip
import json
import os
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from resources.forms import errors
from resources.forms.schema import Schema
from tests.api import Api
from tests.forms import invalid_objects, kinds, served_kind
from tests.forms.kinds import Kind

SHARE = 1 if os.environ.get("FORMS") == "all" else 60
KINDS = [
    *kinds.own(),
    *(kind for kind in kinds.catalog() if zlib.crc32(kind.id.encode()) % SHARE == 0 and kind.kind != "Namespace"),
]
SCHEMAS = kinds.CATALOG.parent / "schemas"
#: Only the server knows which field the scale subresource reads, and runs the rules of a definition that was there
#: before.
_SERVERS = (
    " rules were not checked because",
    " accessor error",
    ": should be a non-negative integer",
    ": should be less than or equal to 2147483647",
)


@pytest.fixture(scope="module")
def api(cluster_kubeconfig: Path) -> Api:
    return Api(cluster_kubeconfig)


def objects(kind: Kind) -> Iterator[tuple[str, dict[str, Any]]]:
    for example in kind.examples or ({},):
        obj = kind.object(example)
        yield "as it is", obj
        for broken in invalid_objects.breaks(kind.schema, obj):
            yield f"{broken.constraint} at {broken.path}", broken.object


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.id)
def test_the_server_says_the_same(kind: Kind, api: Api) -> None:
    found = served_kind.serve(api, kind, rules=False)
    try:
        for what, obj in objects(kind):
            answer = found.dry_run(obj)
            problems = {(placed.where, placed.message) for placed in errors.object_problems(found.schema, obj)}
            if answer.status == 201:
                assert problems == set(), what
            elif answer.status == 400:
                _assert_undecodable(answer.message, {message for _, message in problems}, what)
            else:
                assert answer.status == 422, (what, answer.raw[:300])
                wanted = _causes(answer.json)
                if what.startswith("int-or-string"):  # published with a choice of types, be it written so or not
                    assert wanted <= {message for _, message in problems}, what
                else:
                    assert {message for _, message in problems} == wanted, what
    finally:
        served_kind.remove(found)


def _assert_undecodable(answer: str, messages: set[str], what: str) -> None:
    """Go's decoder stops at its first complaint; strict decoding then lists every unknown field."""
    if "json: cannot unmarshal" in answer:
        assert any(message in answer for message in messages), what
        return
    unknown = {message for message in messages if message.startswith("unknown field")}
    assert all(message in answer for message in unknown), (what, unknown, answer)
    assert answer.count("unknown field") == len(unknown), (what, unknown, answer)


def _causes(status: dict[str, Any]) -> set[str]:
    causes = status["details"]["causes"]
    return {cause["message"] for cause in causes if not any(text in cause["message"] for text in _SERVERS)}


@pytest.mark.skipif(not SCHEMAS.is_dir(), reason=f"the schemas are not at {SCHEMAS}")
def test_a_schema_of_846_kilobytes_is_no_burden() -> None:
    kind = next(kind for kind in kinds.catalog() if kind.id == "ArgoCD.v1beta1.argoproj.io")
    schema, obj = Schema.from_document(kind.schema), kind.object()
    errors.object_problems(schema, obj)
    began = time.process_time()
    errors.object_problems(schema, obj)
    # A bound, fifty times what it takes.
    assert time.process_time() - began < 1


def test_ten_thousand_items_are_checked_at_once() -> None:
    item = {
        "type": "object",
        "required": ["name"],
        "properties": {"name": {"type": "string"}, "n": {"type": "integer"}},
    }
    spec = {"type": "object", "properties": {"items": {"type": "array", "items": item}}}
    schema = Schema.from_document({"type": "object", "properties": {"spec": spec}})
    obj = {"metadata": {"name": "x"}, "spec": {"items": [{"name": "a", "n": 1} for _ in range(9_999)] + [{"n": "x"}]}}
    began = time.process_time()
    found = errors.object_problems(schema, obj)
    assert time.process_time() - began < 1
    assert {placed.where for placed in found} == {"spec.items[9999].name", "spec.items[9999].n"}


def test_every_published_schema_can_be_prepared() -> None:
    if not SCHEMAS.is_dir():
        pytest.skip(f"the schemas are not at {SCHEMAS}")
    for file in sorted(SCHEMAS.glob("*.json.gz"))[::5]:
        schema = Schema.from_document(json.loads(gzip.decompress(file.read_bytes())))
        errors.object_problems(schema, {"metadata": {"name": "x"}, "spec": {}})
