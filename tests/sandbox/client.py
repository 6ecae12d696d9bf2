"""Plain HTTP against a sandbox process: what the tests of its API speak. Nothing of ours is imported."""

import http.client
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import yaml

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
    """One user of a running sandbox."""

    def __init__(self, kubeconfig: Path, token: str | None = None, **headers: str):
        config = yaml.safe_load(kubeconfig.read_text())
        self.kubeconfig = kubeconfig
        self.host = urlparse(config["clusters"][0]["cluster"]["server"]).netloc
        self.token = config["users"][0]["user"]["token"] if token is None else token
        self.headers = headers

    def user(self, name: str, *groups: str) -> "Api":
        """The same, acting as somebody else."""
        found = Api(self.kubeconfig, self.token, **{"Impersonate-User": name})
        if groups:
            found.headers["Impersonate-Group"] = groups[0]
        return found

    def _headers(self, content_type: str, accept: str) -> dict[str, str]:
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
        connection = http.client.HTTPConnection(self.host, timeout=20)
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        try:
            connection.request(method, path, data, self._headers(content_type if data else "", accept))
            response = connection.getresponse()
            headers = {name.lower(): value for name, value in response.headers.items()}
            return Answer(response.status, headers, response.read())
        finally:
            connection.close()

    def get(self, path: str, accept: str = "") -> Answer:
        return self("GET", path, accept=accept)

    def post(self, path: str, body: Any, **kinds: str) -> Answer:
        return self("POST", path, body, **kinds)

    def put(self, path: str, body: Any) -> Answer:
        return self("PUT", path, body)

    def patch(self, path: str, body: Any, content_type: str = MERGE) -> Answer:
        return self("PATCH", path, body, content_type)

    def delete(self, path: str, body: Any = None) -> Answer:
        return self("DELETE", path, body)

    def watch(self, path: str, accept: str = "") -> "Watch":
        return Watch(self, path, accept)


class Watch:
    """An open watch; ``next()`` waits for an event, at most twenty seconds."""

    def __init__(self, api: Api, path: str, accept: str = ""):
        self._connection = http.client.HTTPConnection(api.host, timeout=20)
        self._connection.request("GET", path, headers=api._headers("", accept))
        self._response = self._connection.getresponse()
        self.status = self._response.status

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
