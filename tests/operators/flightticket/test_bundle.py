"""What is special about the bundle: what the operator may do. The rest: tests/operators/test_bundles.py."""

from pathlib import Path

import yaml

BUNDLE = Path(__file__).resolve().parents[3] / "operators" / "packages" / "flightticket" / "1.0.0"


def test_the_operator_may_do_what_it_does_and_no_more() -> None:
    install = yaml.safe_load((BUNDLE / "csv.yaml").read_text())["spec"]["install"]["spec"]
    assert "clusterPermissions" not in install
    (permission,) = install["permissions"]
    allowed = {(*rule["apiGroups"], *rule["resources"]): rule["verbs"] for rule in permission["rules"]}
    assert allowed == {
        ("flights.com", "flighttickets"): ["get", "list", "watch", "patch"],
        ("flights.com", "flighttickets/status"): ["patch"],
        ("", "events"): ["create"],
    }


def test_what_the_kind_is_called() -> None:
    crd = yaml.safe_load((BUNDLE / "crds" / "flights.com_flighttickets.yaml").read_text())
    assert crd["spec"]["names"]["shortNames"] == ["ft"]
    spec = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    assert spec["required"] == ["from", "to", "number"]
    assert (spec["properties"]["number"]["minimum"], spec["properties"]["number"]["maximum"]) == (1, 10)
