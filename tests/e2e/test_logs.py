"""Logs: of all Pods of a workload as one text; 100,000 lines of untrusted text, searched and saved; a whole log
as a file.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from kube.client import ClusterClient
from tests.e2e.conftest import Site
from tests.eventually import until

KINDS = ()
IMAGE = "operator-console.dev/sampledb-engine:1.0.0"


def deployment(replicas: int) -> dict[str, Any]:
    pod = {"containers": [{"name": "engine", "image": IMAGE}], "terminationGracePeriodSeconds": 1}
    template = {"metadata": {"labels": {"app": "many"}}, "spec": pod}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": "many"}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "many"}, "spec": spec}


@pytest.mark.journey
def test_all_pods_of_a_deployment(site: Site, page: Page, client: ClusterClient, namespace: str) -> None:
    client.create(
        client.find("", "v1", "namespaces"), {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    )
    deployments, pods = client.find("apps", "v1", "deployments"), client.find("", "v1", "pods")
    client.create(deployments, deployment(1), namespace)

    def running(number: int) -> list[str]:
        def names() -> list[str]:
            found = client.list(pods, namespace).items
            return sorted(pod["metadata"]["name"] for pod in found if pod["status"].get("phase") == "Running")

        return until(lambda: len(found := names()) == number and found, f"{number} running Pods") or []

    first = running(1)
    page.goto(f"{site.url}/resources/apps/v1/deployments/{namespace}/many/")
    page.locator("#actions summary").click()
    page.locator("#actions").get_by_role("link", name="Logs of all Pods").click()
    log = page.get_by_role("log")
    for name in first:
        expect(log.locator(f"[data-source='{name}/engine']").first).to_be_visible(timeout=60_000)
    expect(page.locator("[data-log-state]")).to_have_text("following")
    client.patch(deployments, "many", {"spec": {"replicas": 2}}, namespace)
    # The second can't have the port of the first, and begins again and again: its lines are there all the same.
    late = next(name for name in running(2) if name not in first)
    expect(page.get_by_label(f"{late}/engine")).to_be_checked(timeout=60_000)
    expect(log.locator(f"[data-source='{late}/engine']").first).to_be_visible(timeout=60_000)
    page.get_by_label(f"{first[0]}/engine").uncheck()
    expect(log.locator(f"[data-source='{first[0]}/engine']").first).to_be_hidden()
    expect(log.locator(f"[data-source='{late}/engine']").first).to_be_visible()


def one_pod(client: ClusterClient, namespace: str) -> str:
    """The name of a Pod that has said something."""
    spaces, pods = client.find("", "v1", "namespaces"), client.find("", "v1", "pods")
    client.create(spaces, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    client.create(client.find("apps", "v1", "deployments"), deployment(1), namespace)

    def ready() -> str:
        found = [pod for pod in client.list(pods, namespace).items if pod["status"].get("phase") == "Running"]
        name = str(found[0]["metadata"]["name"]) if found else ""
        return name if name and "Ready to accept" in client.log(name, namespace) else ""

    return until(ready, "a Pod whose log says that it is ready")


def test_what_is_searched_and_wrapped_stays_when_other_lines_are_chosen(
    site: Site, page: Page, client: ClusterClient, namespace: str
) -> None:
    pod = one_pod(client, namespace)
    page.goto(f"{site.url}/resources/core/v1/pods/{namespace}/{pod}/logs/")
    page.get_by_label("Find", exact=True).fill("accept")
    page.get_by_label("Only matching lines").check()
    page.get_by_label("Wrap lines").uncheck()
    lines = page.locator("#log .log-piece > div")
    expect(lines).to_have_count(1)
    page.get_by_label("Timestamps").check()
    expect(page).to_have_url(re.compile("timestamps=1"))
    expect(lines).to_have_count(1)
    expect(lines.first).to_have_text(re.compile(r"^\d{4}-.*accept"))
    expect(page.get_by_label("Find", exact=True)).to_have_value("accept")
    expect(page.get_by_label("Only matching lines")).to_be_checked()
    expect(page.get_by_label("Wrap lines")).not_to_be_checked()
    expect(page.locator("#log")).to_have_class(re.compile("console-log-long"))
    # Opened again, a log begins without a search.
    page.goto(f"{site.url}/resources/core/v1/pods/{namespace}/{pod}/logs/")
    expect(page.get_by_label("Find", exact=True)).to_have_value("")
    expect(page.get_by_label("Wrap lines")).to_be_checked()


def test_a_log_of_one_line(site: Site, page: Page, client: ClusterClient, namespace: str) -> None:
    page.route(
        "**/logs/follow/**",
        lambda route: route.fulfill(
            status=200, headers={"content-type": "text/event-stream"}, body='event: lines\ndata: {"text": "alone"}\n\n'
        ),
    )
    pod = one_pod(client, namespace)
    page.goto(f"{site.url}/resources/core/v1/pods/{namespace}/{pod}/logs/")
    expect(page.locator("[data-log-count]")).to_have_text("1 line")


LINES = 100_000


def test_a_long_log_of_a_stranger(
    site: Site, page: Page, client: ClusterClient, namespace: str, tmp_path: Path
) -> None:
    """What the API server would send is given here: 100,000 lines, some of them colourful, hostile, binary or
    endless.
    """
    odd = [
        "\x1b[1;31mred\x1b[0m and \x1b[38;5;208morange\x1b[0m",
        "<script>document.title='gone'</script><img src=x onerror=alert(1)>",
        "\x1b]0;title\x07\x1b[2Jcleared \x00\x01 binary \u202etxet",
        "x" * 100_000,
        "10%\r50%\r100% done",
    ]
    lines = [f"line {number} took {number % 977} ms" for number in range(LINES - len(odd))] + odd
    pieces = [lines[at : at + 2000] for at in range(0, LINES, 2000)]
    body = "".join(f"event: lines\ndata: {json.dumps({'text': chr(10).join(piece)})}\n\n" for piece in pieces)
    body += 'event: end\ndata: {"message": ""}\n\n'

    def respond(route: Route) -> None:
        route.fulfill(status=200, headers={"content-type": "text/event-stream"}, body=body)

    page.route("**/logs/follow/**", respond)
    pod = one_pod(client, namespace)
    page.goto(f"{site.url}/resources/core/v1/pods/{namespace}/{pod}/logs/?tail=100000")
    expect(page.locator("[data-log-count]")).to_have_text("100,000 lines", timeout=120_000)
    expect(page.locator("[data-log-state]")).to_have_text("the container terminated")
    log = page.locator("#log")
    # At its end, and only what is near the view has elements.
    expect(log.locator(".log-piece > div").last).to_have_text("100% done")
    expect(log.locator(".log-piece > div").last).to_be_in_viewport()
    assert log.locator(".log-piece > div").count() < 3000
    expect(log.locator(".ansi-front-1.ansi-bold")).to_have_text("red")
    expect(log).to_contain_text("<script>document.title='gone'</script>")
    expect(log).to_contain_text("cleared ␀␁ binary �txet")
    expect(log).to_contain_text("… +80000")
    assert "gone" not in page.title()
    # Found, the last one first, round the corner and back.
    page.get_by_label("Find", exact=True).fill("LINE 4321")
    expect(page.locator("[data-log-found]")).to_have_text("11 / 11")
    page.get_by_role("button", name="Next match").click()
    expect(page.locator("[data-log-found]")).to_have_text("1 / 11")
    expect(log.locator(".log-current")).to_have_text(re.compile("^line 4321 "))
    expect(log.locator(".log-current")).to_be_in_viewport()
    page.get_by_label("Only matching lines").check()
    expect(log.locator(".log-piece > div")).to_have_count(11)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save shown lines").click()
    saved = tmp_path / "saved.log"
    download.value.save_as(saved)
    assert download.value.suggested_filename == f"{pod}-engine.log"
    assert len(saved.read_text().splitlines()) == 11
    page.get_by_label("Only matching lines").uncheck()
    page.get_by_label("Find", exact=True).fill("")
    page.get_by_label("Wrap lines").uncheck()
    page.get_by_role("button", name="Go to end").click()
    expect(log.locator(".log-piece > div").last).to_be_in_viewport()


def test_which_part_of_it(site: Site, page: Page, client: ClusterClient, namespace: str) -> None:
    pod = one_pod(client, namespace)
    address = f"{site.url}/resources/core/v1/pods/{namespace}/{pod}/logs/"
    page.goto(address)
    log = page.locator("#log")
    expect(log).to_contain_text("Ready to accept connections")
    expect(page.locator("[data-log-state]")).to_have_text("following")
    page.get_by_label("Timestamps").check()
    expect(page).to_have_url(re.compile("timestamps=1"))
    expect(log).to_contain_text(re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z .*Ready to accept"))
    page.get_by_label("Or since (UTC)").fill("2099-01-01T00:00:00")
    page.get_by_label("Or since (UTC)").blur()
    expect(page).to_have_url(re.compile("since=2099"))
    expect(log).not_to_contain_text("Ready to accept")
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("[data-log-state]")).to_have_text("paused")
    page.goto(f"{address}?previous=1")
    # The port of the test before may have been taken still: then there was a run before.
    expect(page.locator("[data-log-state]")).to_have_text(
        re.compile("previous terminated container|^end of the previous run$")
    )
    # The whole as it is, and as a file.
    raw = page.request.get(f"{address}raw/?container=engine")
    assert raw.headers["content-type"] == "text/plain; charset=utf-8"
    assert "Ready to accept connections" in raw.text()
    saved = page.request.get(f"{address}raw/?container=engine&save=1")
    assert saved.headers["content-disposition"] == f'attachment; filename="{pod}-engine.log"'
    assert page.request.get(f"{address}raw/?container=nothing").status == 400
