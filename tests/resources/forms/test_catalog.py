"""All examples of all real operators: opened and sent untouched, each comes back equal."""

import time
from pathlib import Path

from resources.examples import of_csvs
from resources.forms.parse import parse
from resources.forms.schema import Schema
from tests.resources.forms import html, pages


def test_every_example_of_the_catalog_survives_its_form(real_catalog: Path) -> None:
    seen, wrong = 0, []
    for package in sorted(real_catalog.iterdir()):
        for bundle in sorted(package.glob("*/csv.yaml"))[-1:]:
            csv = pages.read(bundle)
            if "alm-examples" not in (csv["metadata"].get("annotations") or {}):
                continue
            for file in sorted(bundle.parent.glob("crds/*")):
                if file.stat().st_size > 400_000 and "argoproj.io_argocds" not in file.name:
                    continue  # the very large ones are for the long suite
                crd = pages.read(file)
                for version in crd["spec"]["versions"]:
                    type_ = pages.type_of(crd, version["name"])
                    offer = of_csvs([csv], type_)
                    schema = Schema.of((version.get("schema") or {}).get("openAPIV3Schema"))
                    for example in offer.examples if offer else ():
                        obj = pages.beginning(type_, schema, example.object)
                        parsed = parse(obj, html.controls(pages.html_of(type_, schema, obj, offer)))
                        seen += 1
                        if parsed.problems or repr(parsed.object) != repr(obj):
                            wrong.append(f"{package.name} {type_.kind} {example.name}: {parsed.problems}")
    assert not wrong, wrong[:20]
    assert seen > 500, seen


def test_the_largest_well_known_form_is_small_and_quick(real_catalog: Path) -> None:
    bundle = sorted((real_catalog / "argocd-operator").glob("*/csv.yaml"))[-1]
    crd = next(pages.read(file) for file in bundle.parent.glob("crds/*") if "argoproj.io_argocds" in file.name)
    version = next(version for version in crd["spec"]["versions"] if version["name"] == "v1beta1")
    type_ = pages.type_of(crd, "v1beta1")
    offer = of_csvs([pages.read(bundle)], type_)
    assert offer is not None
    schema = Schema.of(version["schema"]["openAPIV3Schema"])
    obj = pages.beginning(type_, schema, offer.examples[0].object)
    pages.html_of(type_, schema, obj, offer)  # compiles the templates
    began = time.process_time()
    text = pages.html_of(type_, schema, obj, offer)
    assert time.process_time() - began < 0.3
    assert len(text.encode()) < 250_000
    assert "Anonymous Users Enabled" in text
