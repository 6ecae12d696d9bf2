"""The kind that is measured by: small custom resources with a word in the status, which a column shows."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import local

from bench.events import CRD, GROUP, PLURAL
from bench.live.api import MERGE, Api

NAMESPACE = "default"


def path(namespace: str = NAMESPACE, name: str = "") -> str:
    return f"/apis/{GROUP}/v1/namespaces/{namespace}/{PLURAL}" + (f"/{name}" if name else "")


def topic(api: Api, namespace: str = NAMESPACE) -> str:
    return f"{api.config.name}/{GROUP}/v1/{PLURAL}/{namespace or '-'}"


def make(kubeconfig: Path, objects: int, namespace: str = NAMESPACE, threads: int = 4) -> list[str]:
    """The kind, the namespace and that many objects in it; their names."""
    api = Api(kubeconfig)
    api.make("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", CRD)
    api.make("/api/v1/namespaces", {"metadata": {"name": namespace}})
    api.until_served(path(namespace))
    names = [f"row-{number:05}" for number in range(objects)]
    thread = local()

    def create(name: str) -> None:
        if not hasattr(thread, "api"):
            thread.api = Api(kubeconfig)
        body = {"apiVersion": f"{GROUP}/v1", "kind": "Mark", "metadata": {"name": name}, "spec": {}}
        thread.api.make(path(namespace), body)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(create, names))
    return names


def mark(api: Api, name: str, word: str, namespace: str = NAMESPACE) -> None:
    """The word becomes the object's status."""
    api.ask("PATCH", f"{path(namespace, name)}/status", {"status": {"seen": word}}, MERGE)
