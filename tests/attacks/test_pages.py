"""Objects that carry every attack input, and every page that shows them: no untrusted text becomes an element,
an attribute, a header or an address.
"""

import json
from collections.abc import Iterator

import pytest
from django.http.response import HttpResponseBase
from django.test import Client
from pytest_django.plugin import DjangoDbBlocker

from kube.client import ClusterClient
from tests.attacks import judge, pages
from tests.attacks.input_counts import tried
from tests.attacks.placement import Placement, placed

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def attacks(cluster: ClusterClient, django_db_blocker: DjangoDbBlocker) -> Iterator[Placement]:
    with django_db_blocker.unblock(), placed(cluster) as made:
        yield made


def test_the_cluster_took_them(attacks: Placement) -> None:
    assert not attacks.refused
    assert len(attacks.full) == 8


def body(answer: HttpResponseBase) -> bytes:
    return b"".join(answer.streaming_content) if answer.streaming else answer.content  # type: ignore[attr-defined]


# A thousand pages: a real API server on a busy machine takes minutes for them.
@pytest.mark.timeout(600)
def test_every_page_that_shows_them_is_harmless(attacks: Placement) -> None:
    browser, found, seen = Client(), list[str](), dict[int, int]()
    for path, headers in pages.everything(attacks):
        answer = browser.get(path, headers=headers)
        seen[answer.status_code] = seen.get(answer.status_code, 0) + 1
        found += [f"{path}: {item}" for item in wrong(answer)]
    print(f"attacks: {sum(tried().values())} inputs in fields, {sum(seen.values())} answers read, by status {seen}")  # noqa: T201  the number is the point
    assert seen[200] > 300
    assert not found, f"{len(found)}:\n" + "\n".join(dict.fromkeys(item[:500] for item in found[:60]))


def wrong(answer: HttpResponseBase) -> list[str]:
    """What is wrong with an answer, of whatever type."""
    if answer.status_code >= 500 and answer.status_code != 503:
        return [f"answered {answer.status_code}"]
    content, kind = body(answer), answer.headers.get("Content-Type", "")
    found = [
        f"the header {name}: {value}"[:200]
        for name, value in answer.headers.items()
        if name.lower() == "set-cookie" or ("data-atk" in value and name != "X-Live-Version")
    ]
    if answer.headers.get("X-Content-Type-Options") != "nosniff":
        found.append("browsers may guess its type")
    if "Location" in answer.headers and not answer.headers["Location"].startswith("/"):
        found.append(f"leads to {answer.headers['Location']}")
    if b"60481729" in content:
        found.append("a template in a value was computed")
    if kind.startswith("text/html"):
        found += judge.complaints(content.decode())
    elif kind.startswith("application/json"):
        json.loads(content)
    elif answer.status_code == 200 and kind.startswith(
        ("image/svg", "application/xhtml", "text/xml", "application/xml")
    ):
        found.append(f"is shown as {kind}")
    return found
