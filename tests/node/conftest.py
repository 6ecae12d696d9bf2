"""One node for all tests, with OLM and the console of deploy/overlays/tutorial in it, and a browser in front of it."""

import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
import yaml
from playwright.sync_api import Page

from console.processes.parts import free_port
from tests.chromium import Contexts, browser, chromium, contexts
from tests.e2e.steps import install_from_here
from tools.realcluster.build import Programs
from tools.realnode import console
from tools.realnode.__main__ import print_progress, start_olm
from tools.realnode.images import Builder, console_images, node_images, olm_images
from tools.realnode.node import RealNode, running
from tools.realnode.programs import OLM_VERSIONS, build_programs

__all__ = ["browser", "chromium", "contexts"]
_HERE = Path(__file__).parent
ROOT = _HERE.parent.parent
#: Where pictures go, if anywhere.
_PICTURES = os.environ.get("PICTURES")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Only where a node is asked for: it needs root, and minutes."""
    if not os.environ.get("TEST_NODE"):
        for item in items:
            if item.path.is_relative_to(_HERE):
                item.add_marker(pytest.mark.skip(reason="needs a real node: make test-node"))


@dataclass(frozen=True, slots=True)
class Site:
    """The console in the node."""

    node: RealNode
    url: str
    #: Seconds: from `kubectl apply` until everything runs.
    seconds: float
    images: dict[str, Path] = field(default_factory=dict)

    def ask(self, path: str) -> tuple[int, str]:
        """Status and body of a page."""
        with urlopen(f"{self.url}{path}", timeout=30) as answer:
            return answer.status, answer.read().decode()

    def get(self, *arguments: str) -> dict[str, Any]:
        """`kubectl get` of one object."""
        return dict(json.loads(self.node.kubectl("get", "-o", "json", *arguments)))

    def items(self, namespace: str, kind: str, labels: str = "") -> list[dict[str, Any]]:
        """All of a kind in a namespace."""
        return list(self.get("-n", namespace, kind, *((f"--selector={labels}",) if labels else ()))["items"])

    def names(self, namespace: str, kind: str, labels: str = "") -> list[str]:
        return [item["metadata"]["name"] for item in self.items(namespace, kind, labels)]

    def apply(self, *objects: dict[str, Any]) -> None:
        """`kubectl apply` of these objects."""
        path = self.node.layout.data / "applied.yaml"
        path.write_text(yaml.safe_dump_all(objects), encoding="utf-8")
        self.node.kubectl("apply", "-f", str(path))

    def containers(self, namespace: str, labels: str) -> list[dict[str, Any]]:
        """Their states, by the kubelet's word."""
        pods = self.items(namespace, "pods", labels)
        return [state for pod in pods for state in pod["status"].get("containerStatuses", [])]


@pytest.fixture(scope="session")
def programs() -> Programs:
    return build_programs(print_progress, olm=OLM_VERSIONS)


@pytest.fixture(scope="session")
def builder() -> Builder:
    return Builder(print_progress)


@pytest.fixture(scope="session")
def site(programs: Programs, builder: Builder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    images = builder.build(node_images(programs) + console_images())
    pushed = builder.build(olm_images(programs))
    port = free_port()
    with running(tmp_path_factory.mktemp("node"), programs, images, print_progress) as node:
        start_olm(node, pushed, OLM_VERSIONS)
        seconds = console.apply(node)
        forward = console.PortForward(node, port, print_progress)
        yield Site(node, f"http://localhost:{port}", seconds, images)
        for part, size in node.memory().items():
            print_progress(f"{part}: {size / 1e6:.0f} MB")
        print_progress(f"the console was whole after {seconds:.0f} s")
        forward.stop()


@pytest.fixture(scope="module")
def namespace(request: pytest.FixtureRequest, site: Site) -> None:
    """The NAMESPACE of the module is there."""
    site.node.kubectl("create", "namespace", request.module.NAMESPACE)


@pytest.fixture
def page(contexts: Contexts) -> Page:
    return contexts(waits=60_000, viewport={"width": 1440, "height": 900}).new_page()


def picture(page: Page, name: str) -> None:
    """What the page shows now, if pictures are wanted."""
    if _PICTURES:
        page.screenshot(path=Path(_PICTURES, f"{name}.png"))


def install_timed(page: Page, package: str, title: str, namespace: str) -> None:
    """By clicks, on the page of OperatorHub; the seconds are printed."""
    started = time.monotonic()
    install_from_here(page, package, title, namespace)
    print_progress(f"{title}: installed {time.monotonic() - started:.1f} s after the search")
