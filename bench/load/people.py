"""The people of the load, on the cluster and at the console: each with a ServiceAccount and a token of its own, and
a namespace that is full of its name.

Most have a Role in that namespace alone; the last ones can read everything. What anyone is shown of another's
namespace is an error (browsers.py).
"""

import re
import urllib.parse
import urllib.request
from dataclasses import asdict, dataclass
from html import unescape
from http.cookiejar import CookieJar
from typing import Any

from bench.console import Running
from bench.load.browsers import words

RBAC = "/apis/rbac.authorization.k8s.io/v1"
MAPS, SERVICES = 20, 3
_MAY = {
    "rules": [
        {"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]},
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["create", "update", "patch", "delete"]},
    ]
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """`wide`: sees all namespaces.

    `cookie`: the header of a signed-in browser. `topic`, `uids`: what their list of ConfigMaps shows live.
    """

    name: str
    wide: bool
    cookie: str
    topic: str
    uids: list[str]

    def plain(self) -> dict[str, Any]:
        return asdict(self)


def furnish(console: Running, number: int, wide: int) -> list[str]:
    """`number` namespaces with their objects and accounts; the last `wide` accounts see all of the cluster.

    Returns their names.
    """
    names = [f"load-{item:02}" for item in range(number)]
    console.cluster("POST", f"{RBAC}/clusterroles", {"metadata": {"name": "load-looks"}, **_MAY})
    for place, name in enumerate(names):
        console.cluster("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
        core = f"/api/v1/namespaces/{name}"
        console.cluster("POST", f"{core}/serviceaccounts", {"metadata": {"name": "person"}})
        for index in range(MAPS):
            data = {"value": f"{name}'s number {index}", "text": "word " * 60}
            console.cluster(
                "POST", f"{core}/configmaps", {"metadata": {"name": f"{name}-map-{index:02}"}, "data": data}
            )
        for index in range(SERVICES):
            spec = {"selector": {"app": f"{name}-{index}"}, "ports": [{"port": 80}]}
            console.cluster("POST", f"{core}/services", {"metadata": {"name": f"{name}-{index}"}, "spec": spec})
        labels = {"app": name}
        template = {
            "metadata": {"labels": labels},
            "spec": {"containers": [{"name": "main", "image": "example.com/load:1"}]},
        }
        spec = {"replicas": 0, "selector": {"matchLabels": labels}, "template": template}
        console.cluster(
            "POST", f"/apis/apps/v1/namespaces/{name}/deployments", {"metadata": {"name": name}, "spec": spec}
        )
        _bind(console, name, everywhere=place >= number - wide)
    return names


def _bind(console: Running, name: str, *, everywhere: bool) -> None:
    where = f"{RBAC}/clusterrolebindings" if everywhere else f"{RBAC}/namespaces/{name}/rolebindings"
    binding = {
        "metadata": {"name": f"{name}-person"},
        "subjects": [{"kind": "ServiceAccount", "namespace": name, "name": "person"}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "load-looks"},
    }
    console.cluster("POST", where, binding)


def sign_in(console: Running, name: str, *, wide: bool) -> Person:
    """By the page, with a token of four hours; then their list, to know what a tab of theirs would ask the stream
    for.
    """
    asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 4 * 3600}}
    made = console.cluster("POST", f"/api/v1/namespaces/{name}/serviceaccounts/person/token", asked)
    jar = CookieJar()
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
    with browser.open(f"{console.url}/sign-in/", timeout=60) as page:
        page.read()
    csrf = next(item.value or "" for item in jar if item.name.startswith("console_csrf"))
    fields = {"token": made["status"]["token"], "csrfmiddlewaretoken": csrf, "next": "/settings/"}
    sent = urllib.request.Request(
        f"{console.url}/sign-in/", urllib.parse.urlencode(fields).encode(), {"Origin": console.url}
    )
    with browser.open(sent, timeout=60) as page:
        page.read()
    shown = "-" if wide else name
    with browser.open(f"{console.url}/resources/core/v1/configmaps/?namespace={shown}", timeout=60) as answer:
        page = answer.read().decode()
    topic = next(iter(re.findall(r'data-live-rows="([^"]+)"', page)), "")
    uids = re.findall(r'<tr[^>]*\bid="row-([^"]+)"', page)[:50]
    if not topic or not uids:
        raise SystemExit(f"bench: the list of {name} shows nothing live: {words(page)[:600]}")
    cookie = "; ".join(f"{item.name}={item.value}" for item in jar)
    return Person(name=name, wide=wide, cookie=cookie, topic=unescape(topic), uids=uids)
