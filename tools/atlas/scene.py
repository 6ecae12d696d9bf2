"""What is on the cluster while the main pages are photographed: two operators, one with an update that waits, and what
they manage.
"""

import re
import urllib.parse
import urllib.request
from http.cookiejar import CookieJar

from kube.client import ClusterClient
from tools.atlas.pages import DATABASE, SHOP, STOPS, Stop
from tools.pictures import hub, resources
from tools.pictures.camera import until


def prepare(url: str, client: ClusterClient) -> dict[str, str]:
    """Makes it, in about half a minute. Returns what the addresses of the pages leave open."""
    plan = hub.prepare(client)
    resources.prepare(client)
    return facts(url, plan, client)


def facts(url: str, plan: str, client: ClusterClient) -> dict[str, str]:
    """What only the console knows: the numbers of its records.

    One of them, of a namespace made here, is in the audit log.
    """
    visitor = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    history = f"{url}{DATABASE}history/"
    # A change that comes before its kind is followed is part of what is seen first; a kind may be followed already when
    # the object is made.
    until(lambda: _found(visitor, history, "<strong>(?:First seen|Object created)"))
    databases = client.find("samples.operator-console.dev", "v1", "sampledbs")
    client.patch(databases, "example-database", {"spec": {"replicas": 1}}, SHOP)
    steps = until(lambda: _found(visitor, history, r"/history/(\d+)/"))
    _create_namespace(visitor, url)
    entries = until(lambda: _found(visitor, f"{url}/audit/", r'href="/audit/(\d+)/"'))
    keys = _found(visitor, f"{url}{DATABASE}", r'name="key" value="([^"]+)"')
    return {"plan": plan, "step": steps[0], "first": steps[-1], "entry": entries[0], "key": urllib.parse.quote(keys[0])}


def stops(found: dict[str, str]) -> list[Stop]:
    """The pages with whole addresses."""
    return [Stop(stop.name, stop.address.format_map(found), stop.status, stop.main) for stop in STOPS]


def _found(visitor: urllib.request.OpenerDirector, address: str, pattern: str) -> list[str]:
    with visitor.open(address, timeout=30) as answer:
        return re.findall(pattern, answer.read().decode())


def _create_namespace(visitor: urllib.request.OpenerDirector, url: str) -> None:
    """As a person does, so that the audit log has something."""
    token = _found(visitor, f"{url}/namespaces/", r'name="csrfmiddlewaretoken" value="([^"]+)"')[0]
    body = urllib.parse.urlencode({"csrfmiddlewaretoken": token, "name": "atlas"}).encode()
    visitor.open(urllib.request.Request(f"{url}/namespaces/", body, {"Referer": url}), timeout=30).close()
