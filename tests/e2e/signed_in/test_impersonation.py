"""An admin impersonates another user: from the user menu, with a banner on every page, and Stop.

Both themes, a phone's width, the keyboard alone.
"""

from playwright.sync_api import Page, expect

from kube.client import ClusterClient
from kube.config import load
from tests.console.signin.people import People
from tests.e2e.conftest import Site
from tests.e2e.signed_in.test_sign_in import _sign_in


def test_the_banner_stays_until_stop_and_what_is_seen_is_the_others(guarded: Site, staff: People, page: Page) -> None:
    mine, every = (f"/resources/core/v1/configmaps/?namespace={space}" for space in (staff.here, f"{staff.mark}-other"))
    page.goto(f"{guarded.url}{every}")
    _sign_in(page, staff.boss)
    expect(page.get_by_role("link", name=f"{staff.mark}-theirs")).to_be_visible()
    tab = page.context.new_page()
    tab.goto(f"{guarded.url}/namespaces/")
    # By keyboard: the menu, its offer, the form.
    page.get_by_title(staff.name("boss")).focus()
    page.keyboard.press("Enter")
    offer = page.get_by_role("link", name="View as…")
    expect(offer).to_be_visible()
    offer.press("Enter")
    field = page.get_by_label("User or service account")
    field.fill("system:serviceaccount:x")
    field.press("Enter")
    expect(field).to_have_attribute("aria-invalid", "true")
    field.fill(staff.name("clerk"))
    field.press("Enter")
    banner = page.get_by_role("status").filter(has_text=f"You are impersonating {staff.name('clerk')}.")
    expect(banner).to_be_visible()
    page.goto(f"{guarded.url}{every}")
    expect(page.get_by_role("link", name=f"{staff.mark}-theirs")).to_have_count(0)
    page.goto(f"{guarded.url}{mine}")
    expect(page.get_by_role("link", name=f"{staff.mark}-mine")).to_be_visible()
    # Live, as the other.
    admin = ClusterClient(load(str(guarded.kubeconfig)))
    fresh = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"{staff.mark}-fresh"}}
    admin.create(admin.find("", "v1", "configmaps"), fresh, staff.here)
    expect(page.get_by_role("link", name=f"{staff.mark}-fresh")).to_be_visible()
    # A tab that was open before reloads with its next request, and then has the banner.
    tab.get_by_title(staff.name("boss")).click()
    expect(tab.locator("#acting-banner")).to_be_visible()
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        page.evaluate("theme => document.documentElement.classList.toggle('pf-v6-theme-dark', theme === 'dark')", theme)
        for width in (1280, 360):
            page.set_viewport_size({"width": width, "height": 740})
            page.mouse.wheel(0, 2000)
            expect(banner).to_be_in_viewport()
            box = banner.bounding_box()
            assert box and box["width"] <= width and box["height"] < 200
            menu = page.get_by_title(staff.name("boss")).bounding_box()
            assert menu and menu["x"] + menu["width"] <= width, "the user menu can be reached"
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert _contrast(page) >= 4.5, (theme, width)
    stop = banner.get_by_role("button", name="Stop")
    stop.focus()
    stop.press("Enter")
    expect(page.locator("#acting-banner")).to_have_count(0)
    page.set_viewport_size({"width": 1280, "height": 740})
    page.goto(f"{guarded.url}{every}")
    expect(page.get_by_role("link", name=f"{staff.mark}-theirs")).to_be_visible()
    tab.close()


#: Of the banner's words and its button, the worse one (WCAG 2.2, 1.4.3).
_CONTRAST = """() => {
  const rgb = (text) => {
    const canvas = document.createElement("canvas").getContext("2d");
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const linear = (v) => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => .2126 * linear(r / 255) + .7152 * linear(g / 255) + .0722 * linear(b / 255);
  const banner = document.querySelector("#acting-banner");
  const back = light(rgb(getComputedStyle(banner).backgroundColor));
  return Math.min(...[...banner.querySelectorAll(".console-acting-words, button")].map((one) => {
    const front = light(rgb(getComputedStyle(one).color));
    return (Math.max(front, back) + .05) / (Math.min(front, back) + .05);
  }));
}"""


def _contrast(page: Page) -> float:
    return float(page.evaluate(_CONTRAST))
