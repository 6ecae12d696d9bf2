"""What operators ship as a beginning, sloppy as it is."""

import json
from typing import Any

import pytest
import yaml

from kube.discovery import ResourceType, is_custom
from kube.reader import read
from kube.types.olm import ClusterServiceVersionSpec
from operatorhub import csv as operator_csv
from resources.forms import errors
from resources.forms.schema import Schema
from resources.place import Place
from resources.writing import examples as start
from resources.writing.examples import Example, Offer, of_csvs
from tests.conftest import CATALOG

ARGO_CD = CATALOG / "argocd-operator" / "0.18.0"

BOAT = ResourceType(group="sea.example", version="v1", plural="boats", kind="Boat", namespaced=True)


def csv(**annotations: str) -> dict[str, Any]:
    owned = [{"name": "boats.sea.example", "version": "v1", "kind": "Boat"}]
    return {"metadata": {"annotations": annotations}, "spec": {"customresourcedefinitions": {"owned": owned}}}


def boat(name: object, **more: Any) -> dict[str, Any]:
    return {"apiVersion": "sea.example/v1", "kind": "Boat", "metadata": {"name": name}, **more}


def names(**annotations: str) -> list[str]:
    offer = of_csvs([csv(**annotations)], BOAT)
    assert offer is not None
    return [example.name for example in offer.examples]


def test_all_of_the_kind_can_be_taken() -> None:
    assert names(**{"alm-examples": json.dumps([boat("a"), {"kind": "Ship"}, boat("b"), boat("a"), 7])}) == [
        "a",
        "b",
        "a+",
    ]


def test_what_the_operator_wants_first_is_first_and_once() -> None:
    examples = json.dumps([boat("a"), boat("b")])
    assert names(
        **{"alm-examples": examples, "operatorframework.io/initialization-resource": json.dumps(boat("b"))}
    ) == ["b", "a"]
    assert names(**{"operatorframework.io/initialization-resource": "{"}) == []


@pytest.mark.parametrize("text", ["[{", "null", "{}", "7"])
def test_broken_examples_are_none(text: str) -> None:
    assert names(**{"alm-examples": text}) == []


def test_why_they_can_not_be_read_is_known() -> None:
    offer = of_csvs([csv(**{"alm-examples": "[{"})], BOAT)
    assert offer is not None
    assert offer.problem
    assert of_csvs([csv(**{"alm-examples": "[]"})], BOAT).problem == ""  # type: ignore[union-attr]


def test_metadata_that_is_none_is_left_out() -> None:
    odd = json.dumps([{**boat("x"), "metadata": ["x"]}])
    assert names(**{"alm-examples": odd}) == ["boat"]


OLD, NEW = (
    ResourceType(group="sea.example", version="v1alpha1", plural="boats", kind="Boat", namespaced=True),
    ResourceType(group="sea.example", version="v1", plural="boats", kind="Boat", namespaced=True),
)


def versions_csv(examples: list[dict[str, Any]], *owned: dict[str, Any]) -> dict[str, Any]:
    entries = [{"name": "boats.sea.example", "kind": "Boat", **entry} for entry in owned]
    annotations = {"alm-examples": json.dumps(examples)}
    return {"metadata": {"annotations": annotations}, "spec": {"customresourcedefinitions": {"owned": entries}}}


def test_each_version_has_its_own_example_and_words() -> None:
    """H1: not those of the version that the CSV lists first."""
    examples = [{**boat("old"), "apiVersion": "sea.example/v1alpha1"}, boat("new")]
    found = versions_csv(
        examples,
        {
            "version": "v1alpha1",
            "displayName": "Old boat",
            "specDescriptors": [{"path": "sail", "displayName": "Sail"}],
        },
        {"version": "v1", "displayName": "Boat"},
    )
    old, new = of_csvs([found], OLD), of_csvs([found], NEW)
    assert old and new
    assert [example.name for example in old.examples] == ["old"]
    assert [example.name for example in new.examples] == ["new"]
    assert (old.title, new.title) == ("Old boat", "Boat")
    # What its own entry lacks is a sibling's.
    assert new.descriptors.get(("spec", "sail")) is not None


def test_a_version_that_the_csv_does_not_name_takes_what_a_sibling_has() -> None:
    """H29: as an object of the version that it is for."""
    offer = of_csvs([versions_csv([boat("a")], {"version": "v1", "displayName": "A boat"})], OLD)
    assert offer
    assert offer.title == "A boat"
    assert [example.object["apiVersion"] for example in offer.examples] == ["sea.example/v1alpha1"]


@pytest.mark.parametrize(
    ("group", "custom"),
    [
        ("app.k8s.io", True),
        ("gateway.networking.k8s.io", True),
        ("apps", False),
        ("", False),
        ("storage.k8s.io", False),
    ],
)
def test_groups_of_operators_may_end_as_those_of_kubernetes(group: str, custom: bool) -> None:
    """H29: k8gb and the application CRD (app.k8s.io) lost their examples."""
    assert is_custom(group) is custom


@pytest.mark.skipif(not ARGO_CD.is_dir(), reason="the real packages are not beside this repository")
def test_the_real_argo_cd_begins_with_an_example_of_its_stored_version() -> None:
    """H1: the untouched example fits the schema of the version that it is created in."""
    csv_ = yaml.safe_load((ARGO_CD / "csv.yaml").read_text())
    crd = yaml.safe_load((ARGO_CD / "crds" / "argoproj.io_argocds.yaml").read_text())
    definitions = read(csv_["spec"], ClusterServiceVersionSpec).customresourcedefinitions
    owned = operator_csv.apis(definitions.owned, crds=[crd])
    api = next(api for api in owned if api.kind == "ArgoCD")
    assert (api.version, [item.kind for item in owned].count("ArgoCD")) == ("v1beta1", 1)
    offer = of_csvs(
        [csv_], ResourceType(group=api.group, version=api.version, plural=api.plural, kind=api.kind, namespaced=True)
    )
    assert offer
    (example,) = offer.examples
    assert example.object["apiVersion"] == "argoproj.io/v1beta1"
    (version,) = (item for item in crd["spec"]["versions"] if item["name"] == "v1beta1")
    assert errors.object_problems(Schema.from_document(version["schema"]["openAPIV3Schema"]), example.object) == ()


def test_f11_what_the_operator_wants_first_is_the_default_of_the_first_instance_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """F11: the second instance begins with a plain example; what the operator wants first can still be chosen."""
    boats = [
        Example(name="first", description="", object=boat("first"), is_first=True),
        Example(name="second", description="", object=boat("second")),
    ]
    there: list[start.Start] = []
    monkeypatch.setattr(start, "object_starts", lambda *_: tuple(there))
    client: Any = None
    place = Place(BOAT, "default")
    assert start.default_start(client, place, Offer(examples=tuple(boats))) == "example:first"
    there.append(start.Start("from:first", "first"))
    assert start.default_start(client, place, Offer(examples=tuple(boats))) == "example:second"
    assert start.default_start(client, place, Offer(examples=tuple(boats[:1]))) == "example:first"
    assert start.default_start(client, place, Offer()) == start.EMPTY
    assert start.chosen_start(Offer(examples=tuple(boats)), "example:first") == "example:first"
