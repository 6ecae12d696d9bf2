"""The rule of opm for the files of metadata/: what a file holds counts, not its name."""

from typing import Any

from untrusted.bundle_metadata import merge

PREFIX = "operators.operatorframework.io.bundle"


def needs(package: str) -> dict[str, Any]:
    return {"type": "olm.package", "value": {"packageName": package, "version": "1.0.0"}}


def required(package: str) -> dict[str, Any]:
    return {"type": "olm.package.required", "value": {"packageName": package, "versionRange": "1.0.0"}}


def test_19_the_first_file_with_some_of_each_counts() -> None:
    label = {"type": "olm.label", "value": {"label": "x"}}
    found = merge(
        [
            {"annotations": {"com.example": "no bundle's"}, "dependencies": []},
            {"dependencies": [needs("a")], "annotations": {f"{PREFIX}.package.v1": "p", "com.example": "kept"}},
            {"dependencies": [needs("b")], "properties": [label]},
            {"properties": [], "annotations": {f"{PREFIX}.package.v1": "q"}},
        ]
    )
    assert found.annotations == {f"{PREFIX}.package.v1": "p", "com.example": "kept"}
    assert found.properties == [label, required("a")]


def test_19_what_is_no_metadata_is_passed_over() -> None:
    files: list[Any] = [None, "text", ["list"], {"dependencies": "b"}, {"dependencies": [needs("b"), "c"]}]
    assert merge(files).properties == []
    assert merge([*files, {"dependencies": [needs("a")]}]).properties == [required("a")]


def test_19_types_of_dependencies_become_requirements() -> None:
    gvk = {"group": "g", "kind": "K", "version": "v1"}
    constraint = {"failureMessage": "no", "cel": {"rule": "true"}}
    found = merge(
        [
            {
                "dependencies": [
                    {"type": "olm.gvk", "value": gvk},
                    {"type": "olm.constraint", "value": constraint},
                    {"type": "olm.package", "value": None},
                ]
            }
        ]
    )
    assert [(entry["type"], entry["value"]) for entry in found.properties] == [
        ("olm.gvk.required", gvk),
        ("olm.constraint", constraint),
        ("olm.package.required", {"packageName": "", "versionRange": ""}),
    ]
