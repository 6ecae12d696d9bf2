"""What kube-apiserver asks of a kubelet, for tests; and a Pod that is to run on the agent's node."""

import http.client
import ssl
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from websockets import Subprotocol
from websockets.sync.client import ClientConnection, connect

ENGINE = "operator-console.dev/sampledb-engine:7"


@dataclass(frozen=True)
class Kubelet:
    """A client with a certificate, or without one."""

    port: int
    tls: ssl.SSLContext

    def get(self, path: str) -> tuple[int, str]:
        """Status and body."""
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=20, context=self.tls)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def websocket(self, path: str, protocol: str) -> ClientConnection:
        """An open WebSocket."""
        url = f"wss://127.0.0.1:{self.port}{path}"
        return connect(url, ssl=self.tls, subprotocols=[Subprotocol(protocol)], compression=None)

    def run(self, place: str, *command: str) -> dict[int, bytes]:
        """Runs a command in ``namespace/pod``: what came on each channel."""
        query = urlencode([*(("command", word) for word in command), ("output", "1"), ("error", "1")])
        found: dict[int, bytes] = {}
        with self.websocket(f"/exec/{place}/main?{query}", "v4.channel.k8s.io") as socket:
            for message in socket:
                assert isinstance(message, bytes)
                found[message[0]] = found.get(message[0], b"") + message[1:]
        return found


def pod(name: str, node: str = "local", image: str = ENGINE, **spec: Any) -> dict[str, Any]:
    """A Pod that was given to a node already."""
    container = {"name": "main", "image": image, "ports": [{"containerPort": 6379}], **spec.pop("container", {})}
    container["readinessProbe"] = {"tcpSocket": {"port": 6379}, "periodSeconds": 1}
    return {
        "metadata": {"name": name},
        "spec": {"nodeName": node, "tolerations": [{"operator": "Exists"}], "containers": [container], **spec},
    }


def is_ready(pod: dict[str, Any]) -> bool:
    """Its Ready condition."""
    conditions = pod.get("status", {}).get("conditions", [])
    return any((condition["type"], condition["status"]) == ("Ready", "True") for condition in conditions)
