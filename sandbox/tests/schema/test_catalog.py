"""Every CRD of 268 real operators is acceptable, and their own examples are refused only as the real server refuses
them.
"""

import copy
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from sandbox.schema import Malformed, check_crd, prepare, validate

CATALOG = Path(__file__).resolve().parents[4] / "shared" / "catalog" / "packages"
PACKAGES = sorted(CATALOG.glob("*")) if CATALOG.is_dir() else []
#: package/version/number of the example → field and reason of each complaint of kube-apiserver 1.36.3.
REFUSED = json.loads((Path(__file__).parent / "data" / "refused_examples.json").read_text())

pytestmark = pytest.mark.skipif(not PACKAGES, reason=f"the catalog is not at {CATALOG}")


class Loader(yaml.CSafeLoader):
    """Dates and ``=`` stay texts, as in Kubernetes."""


Loader.yaml_implicit_resolvers = {
    first: [pair for pair in pairs if pair[0] not in ("tag:yaml.org,2002:value", "tag:yaml.org,2002:timestamp")]
    for first, pairs in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def crds(bundle: Path) -> Iterator[dict]:
    for file in sorted(bundle.glob("crds/*")):
        for crd in yaml.load_all(file.read_text(), Loader):
            if crd:
                names = crd["spec"]["names"]
                names.setdefault("singular", names["kind"].lower())
                names.setdefault("listKind", f"{names['kind']}List")
                yield crd


def examples(bundle: Path) -> list[dict]:
    csv = yaml.load((bundle / "csv.yaml").read_text(), Loader)
    return json.loads(csv["metadata"]["annotations"].get("alm-examples") or "[]")


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_package(package: Path) -> None:
    for bundle in sorted(path.parent for path in package.glob("*/csv.yaml")):
        schemas = {}
        for crd in crds(bundle):
            assert check_crd(crd) == [], crd["metadata"]["name"]
            for version in crd["spec"]["versions"]:
                key = (f"{crd['spec']['group']}/{version['name']}", crd["spec"]["names"]["kind"])
                schemas[key] = version
        for number, example in enumerate(examples(bundle)):
            version = schemas.get((example.get("apiVersion"), example.get("kind")))
            if version is None:
                continue
            schema = version["schema"]["openAPIV3Schema"]
            obj = copy.deepcopy(example)
            if "status" in (version.get("subresources") or {}):
                obj.pop("status", None)
            try:
                prepare(schema, obj)
            except Malformed:  # an annotation that is a number: 400, before anything is validated
                continue
            refused = [[cause.field, cause.reason] for cause in validate(schema, obj, None)]
            place = f"{package.name}/{bundle.name}/{number}"
            assert sorted(refused) == REFUSED.get(place, []), (place, example["kind"])
