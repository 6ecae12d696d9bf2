"""Plain HTTP against a cluster, the sandbox or a real one: what the tests of the Kubernetes API speak.

Nothing of ours is imported.
"""

import base64
import copy
import http.client
import json
import ssl
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import yaml

from tests.eventually import until

MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    raw: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.raw)

    @property
    def message(self) -> str:
        return str(self.json["message"])

    @property
    def causes(self) -> list[tuple[str, str]]:
        return [(cause["field"], cause["reason"]) for cause in self.json["details"]["causes"]]


class Api:
    """One user of a cluster. TLS is verified with the kubeconfig's authority; the user is its token."""

    def __init__(self, kubeconfig: Path, token: str | None = None, **headers: str):
        config = yaml.safe_load(kubeconfig.read_text())
        cluster = config["clusters"][0]["cluster"]
        self.kubeconfig = kubeconfig
        self.server = urlparse(cluster["server"])
        self.host = self.server.netloc
        self.token = config["users"][0]["user"].get("token", "") if token is None else token
        self.headers: dict[str, str] = headers
        self._tls: ssl.SSLContext | None = None
        if self.server.scheme == "https":
            data = cluster.get("certificate-authority-data")
            self._tls = ssl.create_default_context(
                cadata=base64.b64decode(data).decode() if data else None, cafile=cluster.get("certificate-authority")
            )

    def user(self, name: str, *groups: str) -> "Api":
        """The same client, impersonating another user."""
        headers = {"Impersonate-User": name}
        return self._with(headers=headers | ({"Impersonate-Group": groups[0]} if groups else {}))

    def bearer(self, token: str) -> "Api":
        """A client with this token; anonymous if it is empty."""
        return self._with(token=token, headers={})

    def _with(self, **changed: Any) -> "Api":
        found = copy.copy(self)
        for name, value in changed.items():
            setattr(found, name, value)
        return found

    def connect(self, timeout: float = 30) -> http.client.HTTPConnection:
        """A new connection."""
        if self._tls is None:
            return http.client.HTTPConnection(self.host, timeout=timeout)
        return http.client.HTTPSConnection(self.host, timeout=timeout, context=self._tls)

    def sent_headers(self, content_type: str = "", accept: str = "") -> dict[str, str]:
        """Those of each request."""
        headers = {"User-Agent": "tests/1", **self.headers}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if content_type:
            headers["Content-Type"] = content_type
        if accept:
            headers["Accept"] = accept
        return headers

    def __call__(
        self, method: str, path: str, body: Any = None, content_type: str = "application/json", accept: str = ""
    ) -> Answer:
        connection = self.connect()
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        try:
            connection.request(method, path, data, self.sent_headers(content_type if data else "", accept))
            response = connection.getresponse()
            headers = {name.lower(): ", ".join(response.headers.get_all(name, [])) for name in response.headers}
            return Answer(response.status, headers, response.read())
        finally:
            connection.close()

    def get(self, path: str, accept: str = "") -> Answer:
        return self("GET", path, accept=accept)

    def post(self, path: str, body: Any, **kinds: str) -> Answer:
        return self("POST", path, body, **kinds)

    def put(self, path: str, body: Any, **kinds: str) -> Answer:
        return self("PUT", path, body, **kinds)

    def until(self, path: str, wanted: Callable[[Any], Any], seconds: float = 90) -> Any:
        """The body at ``path`` as soon as ``wanted(body)``; AssertionError with the last one after ``seconds``."""
        end = time.monotonic() + seconds
        while True:
            answer = self.get(path)
            body = answer.json if answer.status == 200 else None
            if body is not None and wanted(body):
                return body
            assert time.monotonic() < end, (
                f"{path} is not as wanted after {seconds} s: {answer.status} {answer.raw[:3000]!r}"
            )
            time.sleep(0.05)

    def until_gone(self, path: str, seconds: float = 90) -> None:
        """Returns when ``path`` is answered 404."""
        until(lambda: self.get(path).status == 404, f"{path} goes", seconds=seconds)

    def patch(self, path: str, body: Any, content_type: str = MERGE) -> Answer:
        return self("PATCH", path, body, content_type)

    def delete(self, path: str, body: Any = None) -> Answer:
        return self("DELETE", path, body)

    def watch(self, path: str, accept: str = "") -> "Watch":
        return Watch(self, path, accept)


class Watch:
    """An open watch; ``next()`` waits for an event, at most twenty seconds.

    One that was refused has its ``status`` and ``refusal``.
    """

    def __init__(self, api: Api, path: str, accept: str = ""):
        self._connection = api.connect(timeout=20)
        self._connection.request("GET", path, headers=api.sent_headers(accept=accept))
        self._response = self._connection.getresponse()
        self.status = self._response.status
        self.headers = {name.lower(): value for name, value in self._response.headers.items()}

    def refusal(self) -> Answer:
        """What was answered instead of events."""
        return Answer(self.status, self.headers, self._response.read())

    def next(self) -> dict[str, Any]:
        line = self._response.readline()
        if not line:
            raise EOFError
        event: dict[str, Any] = json.loads(line)
        return event

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while True:
            try:
                yield self.next()
            except EOFError:
                return

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, *_: object) -> None:
        self._response.close()
        self._connection.close()


def config_map(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def custom_resource_definition(group: str, plural: str, kind: str, **version: Any) -> dict[str, Any]:
    """One served and stored version v1 that keeps everything under spec and status."""
    keep = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    schema = {"type": "object", "properties": {"spec": keep, "status": keep}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": plural, "kind": kind},
            "versions": [
                {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}, **version}
            ],
        },
    }


CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
