"""Errors are shown at their fields before anything is sent; and a wrong check doesn't block the user."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from kube.client import ClusterClient
from tests.e2e import gallery
from tests.e2e.conftest import Site


@pytest.fixture
def form(site: Site, page: Page, client: ClusterClient) -> Iterator[Page]:
    """An empty form of the kind that has every widget."""
    gallery.served_kind(client, gallery.read(gallery.SCHEMA))
    gallery.goto(page, f"{site.url}/resources/{gallery.GROUP}/v1/galleries/new/?namespace=default&start=-&view=form")
    for fold in page.locator("details.console-more-fields").all():
        fold.evaluate("fold => { fold.open = true; }")
    yield page
    page.evaluate("document.getElementById('form')?.removeAttribute('data-dirty')")


def control(page: Page, name: str) -> Locator:
    return page.locator(f'[name="{name}"]')


def error_of(page: Page, name: str) -> Locator:
    """The words at a control, which it is described by."""
    found = control(page, name)
    words = page.locator(f"[id='{found.get_attribute('id')}-v']")
    expect(words).to_have_count(1)
    assert words.get_attribute("id") in (found.get_attribute("aria-describedby") or "")
    expect(found).to_have_attribute("aria-invalid", "true")
    return words


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("i:/spec/count", "20000", "at most 10000"),
        ("i:/spec/big", "9223372036854775808", "9223372036854775807"),
        ("n:/spec/ratio", "1.5", "at most 1"),
        ("s:/spec/title", "ab", "minimum length is 3"),
        ("s:/spec/title", "Not Lower", "Use lowercase letters"),
        ("s:/spec/title", "a" * 64, "maximum length is 63"),
    ],
)
def test_words_when_a_field_is_left(form: Page, name: str, text: str, words: str) -> None:
    control(form, name).fill(text)
    control(form, name).blur()
    expect(error_of(form, name)).to_contain_text(words)


def test_what_is_pasted_stays_whole_and_right_values_are_not_touched(form: Page) -> None:
    control(form, "s:/spec/title").fill("a" * 80)
    assert control(form, "s:/spec/title").input_value() == "a" * 80
    for name, text in (("s:/spec/title", "fine"), ("i:/spec/big", "9223372036854775807"), ("n:/spec/ratio", "1e-3")):
        control(form, name).fill(text)
        control(form, name).blur()
        expect(form.locator(f"[id='{control(form, name).get_attribute('id')}-v']")).to_have_count(0)
        expect(control(form, name)).not_to_have_attribute("aria-invalid", "true")


@pytest.mark.journey
def test_the_form_is_not_sent_until_somebody_insists(form: Page) -> None:
    sent: list[str] = []
    form.on(
        "request",
        lambda request: sent.append(request.url) if request.method == "POST" and "/new/" in request.url else None,
    )
    control(form, "i:/spec/count").fill("20000")
    form.get_by_role("button", name="Create", exact=True).click()
    summary = form.locator("#form-errors")
    expect(summary).to_contain_text("Name: This field is required.")
    expect(summary).to_contain_text("Count: Must be at most 10000.")
    expect(control(form, "s:/metadata/name")).to_be_focused()
    assert not sent
    # A link of the summary leads to its field; a corrected field is quiet.
    summary.get_by_role("link", name="Count").click()
    expect(control(form, "i:/spec/count")).to_be_focused()
    words = error_of(form, "i:/spec/count")
    control(form, "i:/spec/count").fill("3")
    expect(words).to_have_count(0)
    # Sent anyway, the cluster validates it.
    summary.get_by_role("button", name="Submit anyway").click()
    expect(form.locator("#form-errors")).to_contain_text("name or generateName is required")
    assert len(sent) == 1


def test_a_required_field_of_a_section_that_is_not_there_is_not_missed(form: Page) -> None:
    """Its section is not sent at all while nothing is in it."""
    control(form, "s:/metadata/name").fill("quiet")
    control(form, "s:/spec/title").fill("quiet")
    missed = form.evaluate(
        """() => {
          const required = [...document.querySelectorAll("#form [required]")];
          return required.filter((field) => field.value === "").map((field) => field.name);
        }"""
    )
    form.get_by_role("button", name="Create", exact=True).click()
    expect(form.get_by_role("heading", name="quiet")).to_be_visible(timeout=15_000)
    assert isinstance(missed, list)


@pytest.mark.journey
def test_a_field_is_found_in_a_section_that_is_closed(form: Page) -> None:
    form.get_by_label("Add field").press_sequentially("port")
    expect(form.locator("#form-found a").first).to_contain_text("spec.port")
    form.keyboard.press("Enter")
    expect(control(form, "i:/spec/port")).to_be_focused()
