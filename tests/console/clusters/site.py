"""A console of several clusters, as `make run` starts it, and a browser's cookies in front of it."""

import http.cookiejar
import re
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from console.web.clusters import PREFIX, segment
from kube.client import ClusterClient
from kube.config import load

#: A name as clouds make them, with all that is hard in an address.
OTHER = "arn:aws:eks:eu-west-1:1:cluster/kubernetes admin@k8s~한"
#: The default cluster's server, with another user's credentials.
READER = "reader@here"
#: An unreachable server.
AWAY = "away"
HERE = "here"


def prefix(context: str) -> str:
    return "" if context == HERE else f"{PREFIX}{segment(context)}"


def kubeconfig(path: Path, here: Path, other: Path, reader: str, port: int) -> Path:
    """Both clusters have one name, and their users, too: as two that were made by the same program."""
    first, second = (yaml.safe_load(file.read_text()) for file in (here, other))
    cluster = {"here": first["clusters"][0]["cluster"], "there": second["clusters"][0]["cluster"]}
    cluster["away"] = {**cluster["there"], "server": f"https://127.0.0.1:{port}"}
    users = {"admin": first["users"][0]["user"], "admin-there": second["users"][0]["user"], "reader": {"token": reader}}
    contexts = {
        HERE: ("here", "admin"),
        OTHER: ("there", "admin-there"),
        READER: ("here", "reader"),
        AWAY: ("away", "admin"),
    }
    document: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": HERE,
        "clusters": [{"name": name, "cluster": value} for name, value in cluster.items()],
        "users": [{"name": name, "user": value} for name, value in users.items()],
        "contexts": [{"name": name, "context": {"cluster": of, "user": who}} for name, (of, who) in contexts.items()],
    }
    path.write_text(yaml.safe_dump(document))
    return path


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    text: str
    url: str
    headers: dict[str, str]

    @property
    def csrf(self) -> str:
        found = re.search(r'name="csrf(?:-token" content|middlewaretoken" value)="([^"]+)"', self.text)
        assert found, self.text[:500]
        return found[1]


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_what: Any) -> None:
        return None


def renamed(cookie: http.cookiejar.Cookie, name: str) -> http.cookiejar.Cookie:
    return http.cookiejar.Cookie(
        cookie.version,
        name,
        cookie.value,
        cookie.port,
        cookie.port_specified,
        cookie.domain,
        cookie.domain_specified,
        cookie.domain_initial_dot,
        cookie.path,
        cookie.path_specified,
        cookie.secure,
        cookie.expires,
        cookie.discard,
        cookie.comment,
        cookie.comment_url,
        {},
    )


@dataclass
class Browser:
    """Keeps cookies as a browser does; follows redirects."""

    url: str
    jar: http.cookiejar.CookieJar = field(default_factory=http.cookiejar.CookieJar)

    def get(self, path: str, **headers: str) -> Answer:
        return self._send(urllib.request.Request(self.url + path, headers=headers))

    def step(self, path: str) -> Answer:
        """One response; redirects aren't followed."""
        return self._send(urllib.request.Request(self.url + path), _Stay)

    def cookie(self, part: str) -> http.cookiejar.Cookie:
        """The only one with this in its name, but for the digest of who used the browser last."""
        (found,) = [item for item in self.jar if part in item.name and "_last" not in item.name]
        return found

    def post(self, path: str, csrf: str, **fields: str) -> Answer:
        body = urllib.parse.urlencode({**fields, "csrfmiddlewaretoken": csrf}).encode()
        return self._send(urllib.request.Request(self.url + path, body, {"Referer": self.url + path}, method="POST"))

    def _send(self, request: urllib.request.Request, *more: type[urllib.request.BaseHandler]) -> Answer:
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar), *more)
        try:
            with opener.open(request, timeout=60) as answer:
                return Answer(answer.status, answer.read().decode("utf-8", "replace"), answer.url, dict(answer.headers))
        except urllib.error.HTTPError as error:
            return Answer(error.code, error.read().decode("utf-8", "replace"), error.url or "", dict(error.headers))


@dataclass(frozen=True, slots=True)
class Site:
    """`clients`: the clusters without the console, by context."""

    url: str
    kubeconfig: Path

    def client(self, context: str) -> ClusterClient:
        return ClusterClient(load(str(self.kubeconfig), context))
