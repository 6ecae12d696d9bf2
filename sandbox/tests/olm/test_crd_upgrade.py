"""CRDs that OLM does not update, because objects that are there do not fit the new one, or could not be read any
more.
"""

from typing import Any

import pytest

from sandbox.olm.crd_upgrade import refusal

Object = dict[str, Any]


class Present:
    """A cluster with these objects of the kind, as far as the question goes."""

    def __init__(self, *objects: Object):
        self._objects = list(objects)

    def resource_for(self, api_version: str, kind: str) -> Any:
        return type("Resource", (), {"key": "cups.tea.example"}) if kind == "Cup" else None

    def list(self, key: str) -> list[Object]:
        return self._objects


def cup(name: str, **spec: Any) -> Object:
    return {
        "apiVersion": "tea.example/v1",
        "kind": "Cup",
        "metadata": {"name": name, "namespace": "kitchen"},
        "spec": spec,
    }


def crd(most: int = 10, *, version: str = "v1", conversion: str = "None", stored: tuple[str, ...] = ("v1",)) -> Object:
    size = {"type": "integer", "maximum": most}
    schema = {
        "type": "object",
        "properties": {"spec": {"type": "object", "properties": {"size": size, "colour": {"type": "string"}}}},
    }
    item = {"name": version, "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    spec = {"group": "tea.example", "names": {"kind": "Cup", "plural": "cups"}, "versions": [item]}
    return {
        "metadata": {"name": "cups.tea.example"},
        "spec": {**spec, "conversion": {"strategy": conversion}},
        "status": {"storedVersions": list(stored)},
    }


def test_what_fits_is_updated() -> None:
    assert refusal(Present(cup("one", size=9)), crd(10), crd(9)) == ""  # type: ignore[arg-type]


def test_the_first_object_that_does_not_fit_is_named() -> None:
    found = refusal(Present(cup("one", size=1), cup("big", size=10)), crd(10), crd(9))  # type: ignore[arg-type]
    assert (
        found == 'error validating existing CRs against new CRD\'s schema for "cups.tea.example": error validating'
        ' tea.example/v1, Kind=Cup "kitchen/big": updated validation is too restrictive: [].spec.size: Invalid'
        " value: 10: spec.size in body should be less than or equal to 9"
    )


def test_several_faults_stand_in_brackets() -> None:
    found = refusal(Present(cup("big", size=10, colour=1)), crd(10), crd(9))  # type: ignore[arg-type]
    assert found.count("[].spec.") == 2 and ": [[].spec." in found and found.endswith("]")


@pytest.mark.parametrize("strategy", ["Webhook"])
def test_a_conversion_is_trusted(strategy: str) -> None:
    assert refusal(Present(cup("big", size=10)), crd(10), crd(9, conversion=strategy)) == ""  # type: ignore[arg-type]


def test_a_stored_version_must_stay() -> None:
    found = refusal(Present(), crd(stored=("v1alpha1", "v1")), crd())  # type: ignore[arg-type]
    assert (
        found
        == 'risk of data loss updating "cups.tea.example": new CRD removes version v1alpha1 that is listed as a stored'
        " version on the existing CRD"
    )
