"""No page of a cluster has a link, a form or a part that leads to another cluster: every address that can be asked
is asked, and what it answers is read.
"""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from console.web.clusters import Offered
from console.web.front import addresses_of
from tests.console.clusters.conftest import TWIN
from tests.console.clusters.site import OTHER, Browser, prefix

HERE = prefix(OTHER)
#: Of the console as a whole, or secret addresses of their own.
NOBODYS = ("/static/", "/forwarded/")
#: What an address has in it: an object that is there, where the name of a part says so little.
KNOWN = {"group": "core", "version": "v1", "plural": "configmaps", "namespace": "default", "name": TWIN}
#: Responses that aren't pages for users, or whose request changes something.
NOT_ASKED = ("healthz", "readyz", "metrics", "unknown-cluster", "sign-in", "sign-out")
#: Attributes that hold an address. `data-live-rows` and `data-live` hold topics.
_ADDRESS = re.compile(
    r"^(href|src|action|formaction|hx-(get|post|put|delete|patch|push-url|replace-url)|data-.*|value)$"
)


class Addresses(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += ((tag, name, value) for name, value in attrs if value and _ADDRESS.match(name))


def _patterns(resolver: URLResolver, namespace: str = "") -> Iterator[tuple[str, str]]:
    """(name, address) of every pattern."""
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            yield from _patterns(pattern, f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace)
        elif isinstance(pattern, URLPattern) and pattern.name:
            yield f"{namespace}{pattern.name}", str(pattern.pattern)


ALL = sorted(set(_patterns(get_resolver())))


def _asked() -> list[str]:
    """Every address once; where it names an object, of a ConfigMap that is there.

    A view of another kind answers with a page that says so.
    """
    found = []
    with addresses_of(Offered(OTHER, prefix=HERE)):
        for name, address in ALL:
            if name.rpartition(":")[2] in NOT_ASKED:
                continue
            parts = re.findall(r"<(?:\w+:)?(\w+)>", address)
            given = {part: KNOWN.get(part, 1 if "<int:" in address else "default") for part in parts}
            if "tab" in given:
                given["tab"] = "plans" if name.endswith("-moved") else "events"
            found.append(reverse(name, kwargs=given or None))
    return found


#: Pages with objects of their own, which the patterns alone do not show.
MORE = (
    "/?all=1",
    "/resources/core/v1/namespaces/",
    "/resources/core/v1/namespaces/-/default/",
    "/resources/core/v1/pods/?namespace=-",
    "/resources/core/v1/events/?namespace=-",
    "/resources/search/?q=twin&namespace=-",
    "/palette/?q=twin",
    f"/palette/?at={HERE}/resources/core/v1/configmaps/default/twin/",
    "/resources/core/v1/services/default/kubernetes/",
    "/resources/apiextensions.k8s.io/v1/customresourcedefinitions/",
    "/resources/rbac.authorization.k8s.io/v1/clusterroles/-/cluster-admin/",
    "/resources/rbac.authorization.k8s.io/v1/clusterrolebindings/",
    "/resources/core/v1/nodes/",
    "/resources/who-can/?verb=get&resource=secrets",
    "/no/such/page/",
)


@pytest.mark.timeout(400)  # some 150 pages, on a machine that does other things as well
def test_no_link_of_any_page_leaves_its_cluster(web: Browser) -> None:
    addresses = [*_asked(), *(f"{HERE}{more}" for more in MORE)]
    assert len(addresses) > 120
    left: dict[str, list[str]] = {}
    pages = links = 0
    for address in addresses:
        assert address.startswith(f"{HERE}/")
        answer = web.get(address)
        assert answer.status != 500, address
        assert answer.url.startswith(f"{web.url}{HERE}/"), f"{address} led to {answer.url}"
        if "text/html" not in answer.headers.get("Content-Type", answer.headers.get("content-type", "")):
            continue
        reader = Addresses()
        reader.feed(answer.text)
        pages += 1
        for tag, name, value in reader.found:
            path = value.removeprefix(web.url)
            if not path.startswith("/") or path.startswith(("//", *NOBODYS)):
                continue
            links += 1
            if (
                not path.startswith(f"{HERE}/")
                and "/clusters/" not in address
                and (known(path) or not (name == "value" or name.startswith("data-")))
            ):
                left.setdefault(f"<{tag} {name}={value!r}>", []).append(address)
    assert pages > 60 and links > 2000, (pages, links)
    assert not left, "\n".join(f"{link} in {len(where)} pages: {where[0]}" for link, where in left.items())


def known(path: str) -> bool:
    """Whether this could be an address of ours: values of fields may begin with a slash for other reasons."""
    return (
        re.match(
            r"/(resources|operators|operatorhub|extensions|audit|namespaces|palette|settings|api|stream|clusters|view-as|sign-in|sign-out)(/|[?]|$)",
            path,
        )
        is not None
    )


@pytest.mark.parametrize("name", ["resources:list", "operatorhub:catalog", "pages:overview"])
def test_an_address_that_is_made_without_a_request_is_the_default_ones(name: str) -> None:
    given = {key: KNOWN[key] for key in ("group", "version", "plural")} if name == "resources:list" else None
    assert not reverse(name, kwargs=given).startswith("/c/")
