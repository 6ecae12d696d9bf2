"""Talks to a running sandbox over HTTP, as any client does, and waits for what happens by watching."""

import base64
import json
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from tests.eventually import until

Object = dict[str, Any]

OLM = "/apis/operators.coreos.com/v1alpha1"
GROUPS = "/apis/operators.coreos.com/v1"


class Refused(Exception):
    """An answer of 400 or more; ``code`` is its status."""

    def __init__(self, code: int, body: str):
        super().__init__(body)
        self.code = code


class Kube:
    """One user on one API server."""

    def __init__(self, kubeconfig: Path):
        config = yaml.safe_load(kubeconfig.read_text())
        cluster = config["clusters"][0]["cluster"]
        self._server = cluster["server"]
        authority = base64.b64decode(cluster.get("certificate-authority-data", "")).decode()
        self._tls = ssl.create_default_context(cadata=authority) if authority else None
        self._token = config["users"][0]["user"]["token"]

    def raw(self, method: str, path: str, body: Object | None = None, **headers: str) -> bytes:
        with self._open(method, path, body, headers, 60) as answer:
            return bytes(answer.read())

    def get(self, path: str, **headers: str) -> Object:
        return json.loads(self.raw("GET", path, **headers))

    def exists(self, path: str) -> bool:
        try:
            self.raw("GET", path)
        except Refused as refused:
            if refused.code == 404:
                return False
            raise
        return True

    def create(self, path: str, body: Object) -> Object:
        return json.loads(self.raw("POST", path, body))

    def patch(self, path: str, body: Object) -> Object:
        return json.loads(self.raw("PATCH", path, body, **{"Content-Type": "application/merge-patch+json"}))

    def delete(self, path: str) -> None:
        self.raw("DELETE", path)

    def until(self, path: str, holds: Callable[[Object], Any], seconds: float = 60.0, name: str = "") -> Object:
        """The first object of a collection for which ``holds``; the error shows the last one seen when there is none in
        time.
        """
        last: Object = {}
        for event in self._watch(path, name, seconds):
            last = event["object"]
            if event["type"] != "DELETED" and holds(last):
                return last
        raise AssertionError(
            f"did not happen in {seconds} s at {path} {name}; last seen: {json.dumps(last.get('status'))[:1500]}"
        )

    def until_gone(self, path: str, name: str, seconds: float = 60.0) -> None:
        """Returns when the object is deleted. By polling: a watch may begin after the last event."""
        until(lambda: not self.exists(f"{path}/{name}"), f"{path}/{name} goes", seconds=seconds)

    def _watch(self, path: str, name: str, seconds: float) -> Any:
        query = {"watch": "true", "timeoutSeconds": str(max(1, int(seconds)))}
        if name:
            query["fieldSelector"] = f"metadata.name={name}"
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                with self._open("GET", f"{path}?{urllib.parse.urlencode(query)}", None, {}, seconds) as answer:
                    for line in answer:
                        yield json.loads(line)
                        if time.monotonic() > deadline:
                            return
            except TimeoutError:
                return

    def _open(self, method: str, path: str, body: Object | None, headers: dict[str, str], timeout: float) -> Any:
        data = json.dumps(body).encode() if body is not None else None
        sent = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json", **headers}
        request = urllib.request.Request(self._server + path, data=data, method=method, headers=sent)
        try:
            return urllib.request.urlopen(request, timeout=timeout, context=self._tls)
        except urllib.error.HTTPError as error:
            with error:
                raise Refused(error.code, error.read().decode()) from None


def namespaced(prefix: str, namespace: str, plural: str) -> str:
    """Path of a collection."""
    return f"{prefix}/namespaces/{namespace}/{plural}"


def subscribe(
    kube: Kube, namespace: str, package: str, catalog: str, targets: list[str] | None = None, **spec: Any
) -> None:
    """A namespace with an OperatorGroup and a Subscription: what the Install button makes."""
    kube.create("/api/v1/namespaces", {"metadata": {"name": namespace}})
    group: Object = {"targetNamespaces": targets} if targets else {}
    kube.create(
        namespaced(GROUPS, namespace, "operatorgroups"),
        {
            "apiVersion": "operators.coreos.com/v1",
            "kind": "OperatorGroup",
            "metadata": {"name": "group"},
            "spec": group,
        },
    )
    wanted = {"name": package, "source": catalog, "sourceNamespace": "olm", **spec}
    kube.create(
        namespaced(OLM, namespace, "subscriptions"),
        {
            "apiVersion": "operators.coreos.com/v1alpha1",
            "kind": "Subscription",
            "metadata": {"name": package},
            "spec": wanted,
        },
    )


def phase(*words: str) -> Callable[[Object], bool]:
    """Whether status.phase is one of these."""
    return lambda obj: (obj.get("status") or {}).get("phase") in words
