"""Ranges, resolution, upgrade safety, deprecation: the rules of operator-controller, without a cluster."""

import base64
import json
from typing import Any

import pytest

from sandbox.olmv1 import deprecation, ranges, safety
from sandbox.olmv1.render import Unsupported, render
from sandbox.olmv1.resolve import CatalogPackage, Unresolved, objects_of, resolve

Object = dict[str, Any]


@pytest.mark.parametrize(
    ("version", "wanted", "holds"),
    [
        ("1.2.3", "1.2.3", True),
        ("1.2.4", "1.2.3", False),
        ("1.2.9", "1.2", True),
        ("1.3.0", "1.2.x", False),
        ("1.2.3", "=1.2", True),
        ("1.5.0", ">=1.2, <2", True),
        ("2.0.0", ">=1.2, <2", False),
        ("1.5.0", ">= 1.2 < 2", True),
        ("3.1.0", ">=1.2.3, <2.0.0 || >3.0.0", True),
        ("1.2.9", "~1.2.3", True),
        ("1.3.0", "~1.2.3", False),
        ("1.9.0", "~1", True),
        ("1.9.0", "^1.2.3", True),
        ("2.0.0", "^1.2.3", False),
        ("0.2.9", "^0.2.3", True),
        ("0.3.0", "^0.2.3", False),
        ("0.0.3", "^0.0.3", True),
        ("0.0.4", "^0.0.3", False),
        ("5.0.0", "*", True),
        ("1.0.0-rc.1", ">=0.9", False),
        ("1.0.0-rc.1", ">=1.0.0-alpha", True),
        ("2.0.0", "!=2.0.0", False),
        ("2.5.0", "<=2.x", True),
        ("3.0.0", ">2", True),
    ],
)
def test_ranges(version: str, wanted: str, holds: bool) -> None:
    assert ranges.within(version, wanted) is holds


def test_what_is_no_range() -> None:
    for bad in ("", "one", ">>1", "1.2.3.4"):
        with pytest.raises(ranges.BadRange):
            ranges.within("1.0.0", bad)


def bundle(name: str, version: str, *more: Object) -> Object:
    return {
        "schema": "olm.bundle",
        "name": name,
        "image": f"x:{version}",
        "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": version}}, *more],
    }


def package(catalog: str = "one", priority: int = 0, deprecations: tuple[Object, ...] = ()) -> CatalogPackage:
    entries = [
        {"name": "p.v1"},
        {"name": "p.v2", "replaces": "p.v1"},
        {"name": "p.v3", "replaces": "p.v2", "skipRange": ">=1.0.0 <3.0.0"},
    ]
    channels = [{"name": "stable", "entries": entries[:2]}, {"name": "fast", "entries": entries}]
    bundles = [bundle("p.v1", "1.0.0"), bundle("p.v2", "2.0.0"), bundle("p.v3", "3.0.0")]
    return CatalogPackage(
        catalog=catalog, priority=priority, channels=channels, bundles=bundles, deprecations=list(deprecations)
    )


def chosen(installed: Object | None = None, *packages: CatalogPackage, **wanted: Any) -> str:
    return str(resolve({"packageName": "p", **wanted}, list(packages or (package(),)), installed).bundle["name"])


ONE = {"name": "p.v1", "version": "1.0.0"}


def test_the_highest_that_fits() -> None:
    assert chosen() == "p.v3"
    assert chosen(channels=["stable"]) == "p.v2"
    assert chosen(version="<3") == "p.v2"


def test_upgrades_follow_the_edges() -> None:
    assert chosen(ONE) == "p.v3"
    assert chosen(ONE, channels=["stable"]) == "p.v2"
    with pytest.raises(
        Unresolved,
        match=(
            r'error upgrading from currently installed version "3\.0\.0": no bundles found for package "p" matching'
            r' version "1\.0\.0"'
        ),
    ):
        chosen({"name": "p.v3", "version": "3.0.0"}, version="1.0.0")
    assert (
        chosen({"name": "p.v3", "version": "3.0.0"}, version="1.0.0", upgradeConstraintPolicy="SelfCertified") == "p.v1"
    )


def test_deprecated_ones_come_last() -> None:
    old = {"reference": {"schema": "olm.bundle", "name": "p.v3"}, "message": "no"}
    assert chosen(None, package(deprecations=(old,))) == "p.v2"


def test_two_catalogs() -> None:
    with pytest.raises(
        Unresolved, match=r"found bundles for package \"p\" in multiple catalogs with the same priority \[one two\]"
    ):
        chosen(None, package("one"), package("two"))
    assert resolve({"packageName": "p"}, [package("one"), package("two", 5)], None).bundle["name"] == "p.v3"


def test_dependencies_are_not_supported() -> None:
    needy = CatalogPackage(
        catalog="one",
        priority=0,
        channels=[],
        bundles=[bundle("p.v1", "1.0.0", {"type": "olm.package.required", "value": {}})],
    )
    with pytest.raises(Unresolved, match="which is currently not supported"):
        resolve({"packageName": "p"}, [needy], None)


def test_a_bad_range() -> None:
    with pytest.raises(Unresolved, match='desired version range "one" is invalid'):
        chosen(version="one")


def test_objects_of_a_bundle() -> None:
    data = base64.b64encode(json.dumps({"kind": "A"}).encode()).decode()
    assert objects_of(bundle("x", "1.0.0", {"type": "olm.bundle.object", "value": {"data": data}})) == [{"kind": "A"}]


def crd(schema: Object, scope: str = "Namespaced", *others: str) -> Object:
    versions = [{"name": "v1", "schema": {"openAPIV3Schema": schema}}, *({"name": item} for item in others)]
    return {"spec": {"scope": scope, "versions": versions}, "status": {"storedVersions": ["v1", *others]}}


def spec(**properties: Object) -> Object:
    return {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (crd({}), crd({}, "Cluster"), "scope: scope changed"),
        (crd({}, "Namespaced", "v2"), crd({}), 'storedVersionRemoval: stored version "v2" removed'),
        (crd(spec(a={"type": "string"})), crd(spec()), "v1: ^.spec.a: existingFieldRemoval"),
        (crd(spec(a={"type": "string"})), crd(spec(a={"type": "integer"})), 'type changed from "string" to "integer"'),
        (crd(spec(a={"maximum": 10})), crd(spec(a={"maximum": 9})), "^.spec.a: maximum: changed from 10 to 9"),
        (crd(spec(a={})), crd(spec(a={"minLength": 1})), "^.spec.a: minLength: constraint 1 added"),
        (crd(spec(a={"enum": ["x", "y"]})), crd(spec(a={"enum": ["x"]})), "allowed enum values removed"),
        (crd(spec(a={})), crd(spec(a={"default": 1})), "default value 1 added"),
        (crd(spec()), crd({**spec(), "required": ["spec"]}), "new required fields [spec] added"),
    ],
)
def test_unsafe_changes(old: Object, new: Object, words: str) -> None:
    assert any(words in line for line in safety.problems(old, new)), safety.problems(old, new)


def test_safe_changes() -> None:
    old = crd(spec(a={"maximum": 9, "enum": ["x"]}, b={"minimum": 2}))
    new = crd(spec(a={"maximum": 10, "enum": ["x", "y"]}, b={"minimum": 1}, c={"type": "string"}), "Namespaced", "v2")
    assert safety.problems(old, new) == []


def test_deprecations() -> None:
    entries = [
        {"reference": {"schema": "olm.channel", "name": "old"}, "message": "leave it"},
        {"reference": {"schema": "olm.bundle", "name": "p.v1"}, "message": "bad"},
    ]
    conditions = dict(deprecation.conditions(entries, {"channels": ["new"]}, "p.v1"))
    assert conditions["ChannelDeprecated"][0] == "False"
    assert conditions["BundleDeprecated"] == ("True", "Deprecated", "bad")
    assert conditions["Deprecated"][2] == "bad"
    assert dict(deprecation.conditions(None, {}, ""))["BundleDeprecated"] == (
        "Unknown",
        "Absent",
        "no bundle installed yet",
    )


def test_what_olm_v1_does_not_install() -> None:
    csv: Object = {
        "kind": "ClusterServiceVersion",
        "metadata": {"name": "x"},
        "spec": {"installModes": [{"type": "OwnNamespace", "supported": True}]},
    }
    with pytest.raises(Unsupported, match="AllNamespaces"):
        render([csv], "apps")
    csv["spec"] = {"installModes": [{"type": "AllNamespaces", "supported": True}], "webhookdefinitions": [{}]}
    with pytest.raises(Unsupported, match="webhookDefinitions"):
        render([csv], "apps")
    with pytest.raises(Unsupported, match="no ClusterServiceVersion"):
        render([], "apps")
