"""Why the Pods of an object do not run, for the step that waits for it."""

from __future__ import annotations

from examples.operators.kubeapi import KubeApi, Object
from examples.operators.pod_problems import first_trouble, last_words


async def why(api: KubeApi, obj: Object) -> str:
    """Empty when nothing is known, or there are no Pods. Of a Job whose Pods give up: what the last one said."""
    pods = await _pods(api, obj)
    if found := await first_trouble(api, pods):
        return found.message
    failed = [pod for pod in pods if (pod.get("status") or {}).get("phase") == "Failed"]
    last = max(failed, key=lambda item: str(item["metadata"]["creationTimestamp"]), default=None)
    output = await last_words(api, last) if last else ""
    return f"the Pod {last['metadata']['name']} said at last: {output}" if last and output else ""


async def _pods(api: KubeApi, obj: Object) -> list[Object]:
    if obj["kind"] == "Pod":
        return [obj]
    labels = ((obj.get("spec") or {}).get("selector") or {}).get("matchLabels") or {}
    if obj["kind"] == "Job":
        labels = {"job-name": obj["metadata"]["name"]}
    selector = ",".join(f"{key}={label}" for key, label in labels.items())
    return await api.list("Pod", obj["metadata"]["namespace"], selector) if selector else []
