"""A kind with every widget (tests/forms/schemas/widgets.yaml) in a cluster, and hands on its form, for tests in a
real browser.
"""

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from playwright.sync_api import Locator, Page, expect

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import AlreadyExists, NotFound
from resources import yamltext
from tests.e2e.conftest import Site
from tests.eventually import until

SCHEMA = Path(__file__).resolve().parents[1] / "forms/schemas/widgets.yaml"
GROUP = "forms.operator-console.dev"


def read(path: Path) -> dict[str, Any]:
    return dict(yamltext.load(path.read_text(encoding="utf-8")))


@contextmanager
def served(client: ClusterClient) -> Iterator[tuple[ResourceType, str]]:
    """The kind, and a namespace of its own with a Secret and a ConfigMap to pick."""
    type_ = served_kind(client, read(SCHEMA))
    namespace = f"gallery-{uuid4().hex[:6]}"
    namespaces = client.find("", "v1", "namespaces")
    client.create(namespaces, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "signing"}, "stringData": {"tls.key": "x"}}
    client.create(client.find("", "v1", "secrets"), secret, namespace)
    settings = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"colour": "red"}}
    client.create(client.find("", "v1", "configmaps"), settings, namespace)
    try:
        yield type_, namespace
    finally:
        with contextlib.suppress(NotFound):
            client.delete(namespaces, namespace)


def served_kind(client: ClusterClient, crd: dict[str, Any]) -> ResourceType:
    """The CRD's kind, installed where it is not there yet; it stays, for an operator of another test may own it."""
    with contextlib.suppress(AlreadyExists):
        client.create(client.find("apiextensions.k8s.io", "v1", "customresourcedefinitions"), crd)

    def with_its_schema() -> ResourceType | None:
        client.forget_types()
        type_ = client.find_kind(crd["spec"]["group"], crd["spec"]["names"]["kind"])
        return type_ if client.schema(type_) is not None else None

    found = until(with_its_schema, f"{crd['metadata']['name']} is served", not_yet=(NotFound,))
    assert found is not None
    return found


def describe(client: ClusterClient, namespace: str, descriptors: list[dict[str, Any]]) -> None:
    """An operator that owns the kind and says so of its fields."""
    owned = {"name": f"galleries.{GROUP}", "version": "v1", "kind": "Gallery", "specDescriptors": descriptors}
    strategy = {"strategy": "deployment", "spec": {"deployments": []}}
    spec = {"displayName": "Gallery", "install": strategy, "customresourcedefinitions": {"owned": [owned]}}
    metadata = {"name": "gallery.v1.0.0", "namespace": namespace}
    csv = {"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion", "metadata": metadata}
    modes = [{"type": "OwnNamespace", "supported": True}, {"type": "AllNamespaces", "supported": False}]
    type_ = client.find("operators.coreos.com", "", "clusterserviceversions")
    client.create(type_, {**csv, "spec": {**spec, "installModes": modes}}, namespace)


@dataclass(frozen=True)
class Form:
    """Fields by their path in the object, as a person finds them: closed sections are opened on the way."""

    page: Page

    def box(self, pointer: str) -> Locator:
        return self.page.locator(f'[id="form"] [data-pointer="{pointer}"]')

    def control(self, pointer: str) -> Locator:
        marks = ", ".join(f'[name="{mark}:{pointer}"]' for mark in "sinbqjyd")
        return self.page.locator(f'[id="form"] :is({marks})')

    def fill(self, pointer: str, text: str) -> None:
        self.control(pointer).fill(text)

    def choose(self, pointer: str, value: str) -> None:
        """One of a few choices side by side."""
        self.page.locator(f'[id="form"] label:has(> [name$=":{pointer}"][value="{value}"])').click()

    def advanced(self) -> None:
        self.page.locator(".console-more-fields > summary").first.click()

    def open(self, pointer: str) -> None:
        section = self.box(pointer).locator(":scope > .console-section")
        if section.get_attribute("open") is None:
            section.locator(":scope > summary").click()
        expect(self.box(pointer).locator(":scope > .console-section:not([data-lazy])[open]")).to_have_count(1)

    def items(self, pointer: str) -> Locator:
        return self.box(pointer).locator(":scope > .console-items > .console-item")

    def add(self, pointer: str) -> Locator:
        """A new item; its first control has the focus."""
        before = self.items(pointer).count()
        self.box(pointer).locator(":scope > .console-add > [data-add]").click()
        expect(self.items(pointer)).to_have_count(before + 1)
        return self.items(pointer).last

    def inside(self, item: Locator, name: str) -> Locator:
        """A control of an item, by the end of its pointer."""
        pointer = item.get_attribute("data-pointer")
        return self.control(f"{pointer}/{name}") if name else self.control(f"{pointer}")

    def menu(self, pointer: str, entry: str) -> None:
        menu = self.box(pointer).locator(":scope > .console-options, :scope > .console-label > .console-options")
        menu.locator("summary").click()
        menu.get_by_role("button", name=entry).click()

    def send(self, button: str) -> None:
        self.page.get_by_role("button", name=button, exact=True).click()


def goto(page: Page, url: str) -> None:
    """A page of a kind that may be new: the console looks a missing kind up twice a second at most (kube/catalog.py)"""

    def answers() -> bool:
        response = page.goto(url)
        return response is not None and response.ok

    until(answers, url)


def new(site: Site, page: Page, namespace: str, name: str) -> Form:
    goto(page, f"{site.url}/resources/{GROUP}/v1/galleries/new/?namespace={namespace}")
    form = Form(page)
    form.fill("/metadata/name", name)
    return form


def edit(site: Site, page: Page, namespace: str, name: str) -> Form:
    goto(page, f"{site.url}/resources/{GROUP}/v1/galleries/{namespace}/{name}/edit/")
    return Form(page)


def make(client: ClusterClient, type_: ResourceType, namespace: str, name: str, spec: dict[str, Any]) -> None:
    metadata = {"name": name, "namespace": namespace}
    client.create(
        type_, {"apiVersion": f"{GROUP}/v1", "kind": "Gallery", "metadata": metadata, "spec": spec}, namespace
    )


def spec_of(client: ClusterClient, type_: ResourceType, namespace: str, name: str) -> dict[str, Any]:
    return dict(client.get(type_, name, namespace)["spec"])
