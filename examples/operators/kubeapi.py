"""The few requests that our operators make of the API server, on aiohttp alone.

The official client would add 40 MB to each operator for a dozen verbs. Where the API server is:
examples/operators/access.py.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import aiohttp

from examples.operators.access import ApiServerAccess

Object = dict[str, Any]

#: Where each kind that we touch is served: API prefix and plural.
PATHS = {
    "ConfigMap": ("api/v1", "configmaps"),
    "Event": ("api/v1", "events"),
    "PersistentVolumeClaim": ("api/v1", "persistentvolumeclaims"),
    "Pod": ("api/v1", "pods"),
    "Secret": ("api/v1", "secrets"),
    "Service": ("api/v1", "services"),
    "ServiceAccount": ("api/v1", "serviceaccounts"),
    "Deployment": ("apis/apps/v1", "deployments"),
    "StatefulSet": ("apis/apps/v1", "statefulsets"),
    "Lease": ("apis/coordination.k8s.io/v1", "leases"),
    "CronJob": ("apis/batch/v1", "cronjobs"),
    "Job": ("apis/batch/v1", "jobs"),
    "Role": ("apis/rbac.authorization.k8s.io/v1", "roles"),
    "RoleBinding": ("apis/rbac.authorization.k8s.io/v1", "rolebindings"),
    "SampleDB": ("apis/samples.operator-console.dev/v1", "sampledbs"),
    "ArgoCD": ("apis/argoproj.io/v1beta1", "argocds"),
    "Memcached": ("apis/cache.example.com/v1alpha1", "memcacheds"),
    "Operator": ("apis/kudo.dev/v1beta1", "operators"),
    "OperatorVersion": ("apis/kudo.dev/v1beta1", "operatorversions"),
    "Instance": ("apis/kudo.dev/v1beta1", "instances"),
    "PodDisruptionBudget": ("apis/policy/v1", "poddisruptionbudgets"),
}


#: The channels of pods/exec: a message begins with the number of its own.
_STDOUT, _STDERR, _ENDED = 1, 2, 3
_EXEC = ("v5.channel.k8s.io", "v4.channel.k8s.io")


class CommandError(Exception):
    """A command in a container failed: what it wrote to its error stream, or how it ended."""


class ApiError(Exception):
    """The API server refused: its code, reason and message."""

    def __init__(self, code: int, reason: str, message: str):
        super().__init__(message)
        self.code = code
        self.reason = reason


class KubeApi:
    """The API server, with one connection pool. Use as ``async with Api(process_access()) as api``.

    ``program``: under this name the API server notes in managedFields what we write. Without one it is aiohttp's own:
    "Python".
    """

    def __init__(self, access: ApiServerAccess, program: str = ""):
        self._access = access
        self._program = program
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> KubeApi:
        self._session = self._access.session(self._program)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session:
            await self._session.close()

    async def get(self, kind: str, namespace: str, name: str) -> Object | None:
        """The object, or None when there is none."""
        try:
            return await self._json("GET", self._path(kind, namespace, name))
        except ApiError as error:
            if error.code == 404:
                return None
            raise

    async def list(self, kind: str, namespace: str = "", labels: str = "") -> list[Object]:
        """All objects of a kind; ``labels`` is a selector."""
        found = await self._json("GET", self._path(kind, namespace), {"labelSelector": labels} if labels else None)
        return list(found["items"])

    async def create(self, obj: Object) -> Object:
        """A new object."""
        return await self._json("POST", self._path(obj["kind"], obj["metadata"]["namespace"]), body=obj)

    async def patch(self, kind: str, namespace: str, name: str, patch: Object, subresource: str = "") -> Object:
        """A JSON merge patch."""
        path = self._path(kind, namespace, name) + (f"/{subresource}" if subresource else "")
        return await self._json("PATCH", path, body=patch, content_type="application/merge-patch+json")

    async def ensure(self, wanted: Object) -> Object:
        """Creates the object, or patches it where it differs from ``wanted``; what others added to it stays."""
        meta = wanted["metadata"]
        present = await self.get(wanted["kind"], meta["namespace"], meta["name"])
        if present is None:
            return await self.create(wanted)
        if contains(present, wanted):
            return present
        return await self.patch(wanted["kind"], meta["namespace"], meta["name"], wanted)

    async def apply(self, wanted: Object, manager: str) -> Object:
        """Server-side apply: what ``manager`` applied before and does not mention any more goes."""
        meta = wanted["metadata"]
        path = self._path(wanted["kind"], meta["namespace"], meta["name"])
        params = {"fieldManager": manager, "force": "true"}
        return await self._json("PATCH", path, params, wanted, "application/apply-patch+yaml")

    async def delete(self, kind: str, namespace: str, name: str, grace: int | None = None) -> None:
        """Deletes the object with what it owns; nothing happens when it is gone.

        ``grace``: seconds that a Pod has to end.
        """
        query = {"propagationPolicy": "Background", **({} if grace is None else {"gracePeriodSeconds": str(grace)})}
        try:
            await self._json("DELETE", self._path(kind, namespace, name), query)
        except ApiError as error:
            if error.code != 404:
                raise

    async def log(self, namespace: str, pod: str, lines: int = 20, container: str = "") -> str:
        """The last lines of a Pod's log; empty when there is none.

        A Pod of several containers needs the one that is meant.
        """
        path = self._path("Pod", namespace, pod) + "/log"
        query = {"tailLines": str(lines), **({"container": container} if container else {})}
        async with self._open().get(self._access.server + path, params=query) as answer:
            return await answer.text() if answer.status == 200 else ""

    async def run(self, namespace: str, pod: str, container: str, command: Sequence[str]) -> bytes:
        """What a command writes that runs in a container; CommandError when it fails, ApiError when it can't be run."""
        query = [("command", word) for word in command] + [
            ("container", container),
            ("stdout", "true"),
            ("stderr", "true"),
        ]
        url = self._access.server + self._path("Pod", namespace, pod) + "/exec"
        channels: dict[int, bytearray] = {number: bytearray() for number in (_STDOUT, _STDERR, _ENDED)}
        try:
            async with self._open().ws_connect(url, params=query, protocols=_EXEC) as socket:
                async for message in socket:
                    if message.type == aiohttp.WSMsgType.BINARY and message.data:
                        channels.setdefault(message.data[0], bytearray()).extend(message.data[1:])
        except aiohttp.WSServerHandshakeError as refused:
            raise ApiError(refused.status, "", f"a command in the Pod {pod} is refused: {refused.message}") from None
        ended = json.loads(channels[_ENDED] or "{}")
        if ended.get("status") != "Success":
            stderr = channels[_STDERR].decode(errors="replace").strip()
            raise CommandError(stderr or ended.get("message") or "the connection ended before the command did")
        return bytes(channels[_STDOUT])

    async def watch(self, kind: str, namespace: str = "", labels: str = "") -> AsyncIterator[tuple[str, Object]]:
        """(type, object) without end: first the present ones as ADDED; lists again when the connection ends."""
        params = {"labelSelector": labels} if labels else {}
        while True:
            try:
                async for event in self._watch_once(kind, namespace, params):
                    yield event
            except (TimeoutError, aiohttp.ClientError, ApiError):
                await asyncio.sleep(1)

    async def _watch_once(self, kind: str, namespace: str, params: dict[str, str]) -> AsyncIterator[tuple[str, Object]]:
        path = self._path(kind, namespace)
        found = await self._json("GET", path, params)
        for obj in found["items"]:
            yield "ADDED", obj
        query = {**params, "watch": "true", "resourceVersion": found["metadata"]["resourceVersion"]}
        async with self._open().get(self._access.server + path, params=query) as answer:
            await self._check(answer)
            buffer = b""
            async for chunk in answer.content.iter_any():
                *lines, buffer = (buffer + chunk).split(b"\n")
                for line in filter(None, lines):
                    event = json.loads(line)
                    if event["type"] == "ERROR":
                        return
                    yield event["type"], event["object"]

    def _open(self) -> aiohttp.ClientSession:
        assert self._session is not None, "use the Api inside `async with`"
        return self._session

    def _path(self, kind: str, namespace: str, name: str = "") -> str:
        prefix, plural = PATHS[kind]
        scope = f"/namespaces/{namespace}" if namespace else ""
        return f"/{prefix}{scope}/{plural}" + (f"/{name}" if name else "")

    async def _json(
        self,
        method: str,
        path: str,
        params: dict[str, str] | None = None,
        body: Object | None = None,
        content_type: str = "application/json",
    ) -> Object:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": content_type} if data else {}
        url = self._access.server + path
        async with self._open().request(method, url, params=params, data=data, headers=headers) as answer:
            await self._check(answer)
            found: Object = await answer.json()
            return found

    async def _check(self, answer: aiohttp.ClientResponse) -> None:
        if answer.status < 400:
            return
        try:
            status = await answer.json()
        except (aiohttp.ContentTypeError, json.JSONDecodeError):
            status = {}
        raise ApiError(answer.status, status.get("reason", ""), status.get("message", f"HTTP {answer.status}"))


def contains(present: Any, wanted: Any) -> bool:
    """Whether everything in ``wanted`` is in ``present``, which may have more keys; lists must be as long."""
    if isinstance(wanted, dict):
        return isinstance(present, dict) and all(
            (key in present and contains(present[key], value)) or (value is None and key not in present)
            for key, value in wanted.items()
        )
    if isinstance(wanted, list):
        return isinstance(present, list) and len(present) == len(wanted) and all(map(contains, present, wanted))
    return bool(present == wanted)
