"""Pictures of every widget for docs/forms.md: `python -m tools.form_pictures` writes docs/pictures/forms/*.png.

A console of its own with the kind of tests/forms/schemas/widgets.yaml, or a running one with --url and --kubeconfig.
"""

import argparse
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import FloatRect, Page, sync_playwright

from bench.browser import ARGUMENTS
from bench.console import console
from kube.client import ClusterClient
from kube.config import load
from tests.e2e import gallery
from tests.e2e.conftest import Site
from tests.e2e.gallery import Form

FOLDER = Path(__file__).resolve().parent.parent / "docs/pictures/forms"
SPEC = {
    "title": "spring-show",
    "story": "The first of the year.\n\nOpen to everybody.",
    "enabled": True,
    "flavour": "cherry",
    "replicas": 2,
    "targetPort": "http",
    "storage": "2Gi",
    "timeout": "1h30m",
    "startAt": "2030-01-31T12:00:00Z",
    "certificate": "LS0tLS1CRUdJTg==",
    "password": "hush",
    "image": "registry.example/gallery:1.4",
    "schedule": "0 3 * * 1-5",
    "tags": ["oil", "paper", "wood"],
    "settings": {"colour": "red", "frame": "oak"},
    "users": [{"name": "ann", "admin": True, "roles": ["painter"]}, {"name": "bob"}],
    "pools": {"blue": {"size": 3}},
    "source": {"git": {"url": "https://git.example/pictures"}},
    "nested": {"host": "gallery.example"},
    "fixed": "once",
    "anything": {"any": ["thing", 1]},
    "open": {"known": "yes", "more": {"of": "it"}},
    "secretName": "signing",
    "configMapRef": {"name": "settings", "key": "colour"},
    "resources": {"requests": {"cpu": "250m", "memory": "64Mi"}, "limits": {"memory": "128Mi"}},
    "selector": {"matchLabels": {"app": "gallery"}},
    "tolerations": [{"key": "spot", "operator": "Exists", "effect": "NoSchedule"}],
    "env": [{"name": "MODE", "value": "open"}],
}
#: The picture's name, and the pointers of the fields in it.
PICTURES = {
    "text": ("title", "story"),
    "choices": ("enabled", "level", "flavour"),
    "numbers": ("replicas", "targetPort", "storage"),
    "times": ("timeout", "startAt", "schedule"),
    "secrets": ("password", "certificate"),
    "rows": ("tags",),
    "pairs": ("settings",),
    "cards": ("users",),
    "map": ("pools",),
    "union": ("source",),
    "section": ("nested",),
    "locked": ("fixed",),
    "yaml": ("anything",),
    "others": ("open",),
    "picker": ("secretName", "configMapRef"),
    "resources": ("resources",),
    "selector": ("selector",),
    "tolerations": ("tolerations",),
    "env": ("env",),
    "image": ("image", "imagePullPolicy"),
}


@contextmanager
def site(url: str, kubeconfig: str) -> Iterator[Site]:
    if url:
        yield Site(url.rstrip("/"), Path(kubeconfig))
        return
    with console() as running:
        yield Site(running.url, running.data / "sandbox/kubeconfig", running.process.pid)


def take(page: Page, form: Form, name: str, pointers: tuple[str, ...]) -> None:
    """One picture of each field, with some room around it."""
    for pointer in pointers:
        box = form.box(f"/spec/{pointer}")
        section = box.locator(":scope > .console-section")
        if section.count() and section.get_attribute("open") is None:
            form.open(f"/spec/{pointer}")
        page.mouse.move(0, 0)
        box.evaluate("(element) => element.scrollIntoView({block: 'center'})")
        place = box.bounding_box()
        assert place is not None
        room = FloatRect(
            x=place["x"] - 14, y=place["y"] - 12, width=place["width"] + 28, height=min(place["height"], 1200) + 24
        )
        page.screenshot(path=FOLDER / (f"{name}.png" if len(pointers) == 1 else f"{name}-{pointer}.png"), clip=room)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="")
    parser.add_argument("--kubeconfig", default="")
    arguments = parser.parse_args()
    draw(arguments.url, arguments.kubeconfig)


def draw(url: str = "", kubeconfig: str = "") -> None:
    """On a console of its own, or on the one given."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with site(url, kubeconfig) as found, sync_playwright() as playwright:
        client = ClusterClient(load(str(found.kubeconfig), None))
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1180, "height": 1400}, locale="en-US", device_scale_factor=1)
        with gallery.served(client) as (type_, namespace):
            gallery.make(client, type_, namespace, "spring", SPEC)
            form = gallery.edit(found, page, namespace, "spring")
            page.screenshot(path=FOLDER / "form.png")
            form.advanced()
            for name, pointers in PICTURES.items():
                take(page, form, name, pointers)
            page.get_by_label("Add field").fill("cpu")
            page.locator("[data-found] a").first.wait_for()
            page.locator(".console-form-filter").scroll_into_view_if_needed()
            page.screenshot(path=FOLDER / "find.png", clip=_around(page, ".console-form-filter", 620, 260))
            page.keyboard.press("Escape")
            form.box("/spec/greeting").locator(".console-options > summary").click()
            page.screenshot(path=FOLDER / "menu.png", clip=_around(page, '[data-pointer="/spec/greeting"]', 930, 330))
        browser.close()
    print(f"{len(list(FOLDER.glob('*.png')))} pictures in {FOLDER}")


def _around(page: Page, selector: str, width: float, height: float) -> FloatRect:
    box = page.locator(f"#form {selector}").bounding_box()
    assert box is not None
    return FloatRect(x=box["x"] - 14, y=box["y"] - 12, width=width, height=height)


if __name__ == "__main__":
    main()
