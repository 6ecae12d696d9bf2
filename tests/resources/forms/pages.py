"""Forms drawn for a test: a CRD's schema and an object → the page's HTML."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml
from django.template.loader import render_to_string
from django.test import RequestFactory

from kube.discovery import ResourceType
from resources.forms.fields import FormInput
from resources.forms.schema import Schema
from resources.place import Place
from resources.views import form_page
from resources.writing import draft
from resources.writing.examples import Offer, of_csvs

ROOT = Path(__file__).resolve().parents[3]
SAMPLEDB = ROOT / "examples" / "operators" / "packages" / "sampledb" / "1.0.0"


class Loader(yaml.CSafeLoader):
    """YAML 1.1 without dates and without "=", as Kubernetes reads it."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, found) for tag, found in resolvers if not tag.endswith((":timestamp", ":value"))]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def read(path: Path) -> Any:
    return yaml.load(path.read_text(encoding="utf-8"), Loader)


def type_of(crd: dict[str, Any], version: str) -> ResourceType:
    spec = crd["spec"]
    return ResourceType(
        group=spec["group"],
        version=version,
        plural=spec["names"]["plural"],
        kind=spec["names"]["kind"],
        namespaced=spec["scope"] == "Namespaced",
    )


@cache
def sampledb() -> tuple[ResourceType, Schema, Offer]:
    crd = read(next((SAMPLEDB / "crds").iterdir()))
    type_ = type_of(crd, "v1")
    offer = of_csvs([read(SAMPLEDB / "csv.yaml")], type_)
    assert offer is not None
    return type_, Schema.from_document(crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]), offer


def html_of(
    type_: ResourceType, schema: Schema, obj: dict[str, Any], offer: Offer, typed: FormInput | None = None
) -> str:
    page = form_page.make(Place(type_, "default"), schema, obj, offer=offer, choice=("default", "shop"), typed=typed)
    context = {"skeleton": "part.html", "form": page, "request": RequestFactory().get("/")}
    return render_to_string("resources/form.html", context)


def beginning(type_: ResourceType, schema: Schema, example: dict[str, Any] | None) -> dict[str, Any]:
    return draft.begin(type_, "default", schema, example)
