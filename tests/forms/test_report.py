"""F22: `make test-forms` measures what pages show, and has nothing to praise where nothing was measured."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.forms import bundles, reach
from tests.forms.measure import Figures
from tests.forms.page import Form
from tests.forms.test_examples import FORMS
from tools import forms_report

GROUP = "report.example.com"


def write(folder: Path, group: str, examples: str, served: bool = True) -> Path:
    """A bundle of one kind."""
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}}}
    version = {"name": "v1", "served": served, "storage": True, "schema": {"openAPIV3Schema": schema}}
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"things.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": "things", "kind": "Thing"},
            "versions": [version],
        },
    }
    owned = {"owned": [{"name": f"things.{group}", "kind": "Thing", "version": "v1"}]}
    csv = {
        "kind": "ClusterServiceVersion",
        "metadata": {"name": "things.v1", "annotations": {"alm-examples": examples}},
        "spec": {"customresourcedefinitions": owned},
    }
    for name, document in (("crd.yaml", crd), ("csv.yaml", csv)):
        (folder / name).write_text(yaml.safe_dump(document))
    return folder


def example(group: str = GROUP, version: str = "v1") -> str:
    return json.dumps(
        [{"apiVersion": f"{group}/{version}", "kind": "Thing", "metadata": {"name": "a"}, "spec": {"size": 1}}]
    )


def test_f22_a_good_bundle_has_no_faults(tmp_path: Path) -> None:
    found = bundles.bundle(write(tmp_path, GROUP, example()))
    assert (found.faults, found.examples, len(found.forms)) == ([], 1, 1)
    figures = forms_report.work(tmp_path)
    assert forms_report.passes([figures])


def test_f22_examples_that_can_not_be_read_are_a_fault(tmp_path: Path) -> None:
    assert bundles.bundle(write(tmp_path, GROUP, "[not JSON")).faults


def test_f22_a_version_that_is_not_served_has_no_page(tmp_path: Path) -> None:
    found = bundles.bundle(write(tmp_path, GROUP, example(), served=False))
    assert not found.forms and found.faults


@pytest.mark.parametrize("text", [b"kind: ClusterServiceVersion\n a: [", b"kind: CustomResourceDefinition\n\xff"])
def test_f22_a_file_that_can_not_be_read_is_a_fault(tmp_path: Path, text: bytes) -> None:
    write(tmp_path, GROUP, example())
    (tmp_path / "broken.yaml").write_bytes(text)
    faults = bundles.bundle(tmp_path).faults
    assert any("broken.yaml" in fault for fault in faults)
    assert not forms_report.passes([Figures(schemas=1, examples=1, shipped=1, offered=1, faults=faults)])


def test_f22_nothing_measured_is_no_pass() -> None:
    assert not forms_report.passes([])
    assert not forms_report.passes([Figures()])
    assert not forms_report.passes([Figures(schemas=3)])
    assert not forms_report.passes([Figures(schemas=3, examples=2, shipped=2, offered=1)])


@dataclass(frozen=True)
class Drawn:
    """A form whose page is what the test says."""

    form: Form
    page: str

    def begin(self, example: dict[str, Any] | None = None) -> dict[str, Any]:
        return self.form.begin(example)

    def html(self, obj: dict[str, Any]) -> str:
        return self.page


@pytest.mark.parametrize(
    ("page", "counts"),
    [
        ('<input name="s:/spec/a">', True),
        ('<input name="s:/spec/a" disabled>', False),
        ('<input name="s:/spec/a" readonly>', False),
        ('<input name="s:/spec/a" type="hidden">', False),
        ('<div hidden><input name="s:/spec/a"></div>', False),
        ('<div data-script><input name="s:/spec/a"></div>', False),
    ],
)
def test_f22_only_what_can_be_used_is_a_control(page: str, counts: bool) -> None:
    form = Drawn(next(iter(FORMS.values())), page)
    assert reach.controls(form) == ({"/spec/a"} if counts else set())  # type: ignore[arg-type]
