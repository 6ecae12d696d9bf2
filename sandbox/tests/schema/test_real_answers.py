"""What kube-apiserver 1.36.3 answered to 150 objects, word for word. See data/."""

import copy
import json
from pathlib import Path

import pytest

from sandbox.schema import prepare, validate

DATA = Path(__file__).parent / "data"
OBJECTS = json.loads((DATA / "objects.json").read_text())


def stored(spec: dict) -> dict:
    thing = {"apiVersion": "table.example.com/v1", "kind": "Thing", "metadata": {"name": "x"}}
    obj = thing | {"spec": copy.deepcopy(spec)}
    prepare(OBJECTS["schema"], obj)
    return obj


@pytest.mark.parametrize("case", OBJECTS["cases"], ids=lambda case: case["name"])
def test_object(case: dict) -> None:
    obj = {"apiVersion": "table.example.com/v1", "kind": "Thing", "metadata": {"name": "x"}}
    obj["spec"] = copy.deepcopy(case["spec"])
    unknown = prepare(OBJECTS["schema"], obj)
    assert sorted(f'unknown field "{path}"' for path in unknown) == sorted(case["unknown"])
    old = stored(case["old"]) if "old" in case else None
    causes = validate(OBJECTS["schema"], obj, old)
    assert sorted(map(list, causes)) == case.get("causes", [])
    if "result" in case:
        assert obj["spec"] == case["result"]
