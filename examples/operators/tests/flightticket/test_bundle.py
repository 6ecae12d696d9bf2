"""What is special about the bundle: what the operator may do. The rest: examples/operators/tests/test_bundles.py."""

from pathlib import Path
from typing import Any

import pytest
import yaml

PACKAGE = Path(__file__).resolve().parents[2] / "packages" / "flightticket"
VERSIONS = sorted(path.parent.name for path in PACKAGE.glob("*/csv.yaml"))


def crd(version: str) -> dict[str, Any]:
    return dict(yaml.safe_load((PACKAGE / version / "crds" / "flights.com_flighttickets.yaml").read_text()))


# Version 2 asks for more, to have something to show before an update.
@pytest.mark.parametrize("version", [version for version in VERSIONS if version.startswith("1.")])
def test_the_operator_may_do_what_it_does_and_no_more(version: str) -> None:
    install = yaml.safe_load((PACKAGE / version / "csv.yaml").read_text())["spec"]["install"]["spec"]
    assert "clusterPermissions" not in install
    (permission,) = install["permissions"]
    allowed = {(*rule["apiGroups"], *rule["resources"]): rule["verbs"] for rule in permission["rules"]}
    assert allowed == {
        ("flights.com", "flighttickets"): ["get", "list", "watch", "patch"],
        ("flights.com", "flighttickets/status"): ["patch"],
        ("", "events"): ["create"],
        ("coordination.k8s.io", "leases"): ["get", "create", "patch"],
    }


@pytest.mark.parametrize(("version", "most"), [("1.0.0", 10), ("1.1.0", 10), ("2.0.0", 9), ("2.1.0", 9)])
def test_what_the_kind_is_called(version: str, most: int) -> None:
    found = crd(version)
    assert found["spec"]["names"]["shortNames"] == ["ft"]
    spec = found["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    assert spec["required"] == ["from", "to", "number"]
    assert (spec["properties"]["number"]["minimum"], spec["properties"]["number"]["maximum"]) == (1, most)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_has_the_rules_and_the_status_of_the_first(version: str) -> None:
    """One program runs for all of them, so what it writes is known to each."""
    first, other = (crd(item)["spec"]["versions"][0]["schema"]["openAPIV3Schema"] for item in (VERSIONS[0], version))
    assert other["x-kubernetes-validations"] == first["x-kubernetes-validations"]
    assert other["properties"]["status"] == first["properties"]["status"]
    (rule,) = other["properties"]["spec"]["x-kubernetes-validations"]
    assert rule["fieldPath"] == ".to"
