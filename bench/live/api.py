"""Requests to the API server with the administrator's identity, over one kept connection."""

import http.client
import json
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from kube.config import load

MERGE = "application/merge-patch+json"


class Api:
    """Belongs to one thread."""

    def __init__(self, kubeconfig: Path) -> None:
        self.config = load(str(kubeconfig))
        parts = urlsplit(self.config.host)
        kind = http.client.HTTPSConnection if self.config.tls else http.client.HTTPConnection
        options: dict[str, Any] = {"context": self.config.tls} if self.config.tls else {}
        self._connection = kind(parts.hostname or "", parts.port, timeout=30, **options)

    def ask(self, method: str, path: str, body: object = None, content_type: str = "application/json") -> Any:
        """The answer as JSON. Raises OSError, also for an answer of 400 and above."""
        headers = {"Content-Type": content_type, "Accept": "application/json"}
        if token := self.config.token():
            headers["Authorization"] = f"Bearer {token}"
        try:
            self._connection.request(method, path, None if body is None else json.dumps(body).encode(), headers)
            answer = self._connection.getresponse()
            text = answer.read()
        except (http.client.HTTPException, OSError) as error:
            self._connection.close()
            raise OSError(f"{method} {path}: {error}") from error
        if answer.status >= 400:
            raise OSError(f"{method} {path}: {answer.status} {text[:300]!r}")
        return json.loads(text) if text.startswith(b"{") else None

    def make(self, path: str, body: object) -> None:
        """Created, or there already."""
        try:
            self.ask("POST", path, body)
        except OSError as error:
            if ": 409 " not in str(error):
                raise

    def answers(self) -> bool:
        try:
            self.ask("GET", "/api/v1/namespaces")
        except OSError:
            return False
        return True

    def until_served(self, path: str, seconds: float = 30) -> None:
        until = time.monotonic() + seconds
        while True:
            try:
                self.ask("GET", path)
                return
            except OSError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)
