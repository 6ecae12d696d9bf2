"""Jobs: defaults, completion, suspension, refusals"""

from typing import Any

import pytest

from tests.api import TABLE, Api
from tests.kubectl import Kubectl

from .observations import Seen
from .workloads import IMAGE, conditions, container, events, items, path

NOWHERE = {"no": "such-node"}


@pytest.fixture
def at(namespace: str) -> str:
    """The path of Jobs."""
    return path(namespace, "jobs")


def _body(name: str = "a", pod: Any = None, **spec: Any) -> Any:
    """A Job; ``pod`` adds to its Pods' spec."""
    template = {"spec": {"restartPolicy": "Never", "containers": [container()], **(pod or {})}}
    return {"metadata": {"name": name}, "spec": {"template": template, **spec}}


def _waiting(name: str = "a", **spec: Any) -> Any:
    """A Job whose Pods fit nowhere."""
    return _body(name, pod={"nodeSelector": NOWHERE}, **spec)


def _complete(body: Any) -> bool:
    return "Complete" in conditions(body)


def test_defaults(seen: Seen, api: Api, at: str) -> None:
    """A minimal Job gets its defaults, a selector and labels"""
    seen("create", api.post(at, _waiting()))


def test_completion(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """A Job whose Pod succeeds is complete"""
    api.post(at, _body())
    done = api.until(f"{at}/a", _complete)
    seen.value("status", done["status"], without=["conditions", "terminating"])
    seen.value("conditions", conditions(done))
    assert [condition["type"] for condition in done["status"]["conditions"]] == ["SuccessCriteriaMet", "Complete"]
    (made,) = items(api, namespace, "pods")
    assert made["metadata"]["name"].startswith("a-")
    seen.value("labels", made["metadata"]["labels"])
    seen.value("owner", made["metadata"]["ownerReferences"])
    api.until(path(namespace, "pods", made["metadata"]["name"]), lambda item: "finalizers" not in item["metadata"])
    seen.alias("pod", made["metadata"]["name"])
    seen.value("events", events(api, namespace, "a", lambda lines: len(lines) == 2))


def test_parallelism(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """So many Pods at once, until so many have succeeded"""
    api.post(at, _body(completions=3, parallelism=2))
    done = api.until(f"{at}/a", _complete)
    seen.value("status", done["status"], only=["succeeded", "failed", "active", "ready", "uncountedTerminatedPods"])
    assert len(items(api, namespace, "pods")) == 3
    api.post(at, _waiting("b", completions=3, parallelism=2))
    started = api.until(f"{at}/b", lambda item: item["status"].get("active") == 2)
    seen.value("started", started["status"])
    api.patch(f"{at}/b", {"spec": {"parallelism": 1}})
    api.until(f"{at}/b", lambda item: item["status"].get("active") == 1)
    seen("fewer", api.patch(f"{at}/b", {"spec": {"parallelism": 0}}), only=["spec.parallelism", "metadata.generation"])


def test_suspend(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """A suspended Job has no Pods; resumed, it continues"""
    api.post(at, _waiting(suspend=True))
    found = api.until(f"{at}/a", lambda item: conditions(item))
    seen.value("suspended", found["status"])
    assert items(api, namespace, "pods") == []
    api.patch(f"{at}/a", {"spec": {"suspend": False}})
    found = api.until(f"{at}/a", lambda item: item["status"].get("active"))
    seen.value("resumed", found["status"])
    (made,) = items(api, namespace, "pods")
    api.patch(f"{at}/a", {"spec": {"suspend": True}})
    api.until_gone(path(namespace, "pods", made["metadata"]["name"]))
    found = api.until(f"{at}/a", lambda item: not item["status"].get("active"))
    seen.value("suspended again", conditions(found))
    seen.alias("pod", made["metadata"]["name"])
    lines = events(api, namespace, "a", lambda lines: any("Suspended" in line for line in lines))
    seen.value("events", lines)


def test_deadline(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """A Job that takes too long has failed"""
    api.post(at, _waiting(activeDeadlineSeconds=1))
    late = api.until(f"{at}/a", lambda item: "Failed" in conditions(item))
    seen.value("conditions", conditions(late))
    seen.value("status", late["status"], without=["conditions"])
    assert items(api, namespace, "pods") == []


def test_failure(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """A Job fails when more of its Pods have failed than backoffLimit allows"""
    api.post(at, _waiting(backoffLimit=0))
    (made,) = api.until(path(namespace, "pods"), lambda body: body["items"])["items"]
    api.patch(f"{path(namespace, 'pods')}/{made['metadata']['name']}/status", {"status": {"phase": "Failed"}})
    failed = api.until(f"{at}/a", lambda item: "Failed" in conditions(item))
    seen.value("conditions", conditions(failed))
    seen.value("status", failed["status"], without=["conditions"])
    seen.alias("pod", made["metadata"]["name"])
    seen.value("events", events(api, namespace, "a", lambda lines: len(lines) == 2))


def test_expiry(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """ttlSecondsAfterFinished deletes a finished Job and its Pods"""
    created = api.post(at, _body(ttlSecondsAfterFinished=0))
    seen("create", created, only=["spec.ttlSecondsAfterFinished"])
    api.until_gone(f"{at}/a")
    api.until(path(namespace, "pods"), lambda body: body["items"] == [])


def test_refusals(seen: Seen, api: Api, at: str) -> None:
    """Each invalid field of a Job's spec is named"""
    dry = f"{at}?dryRun=All"
    for name, spec in {
        "completions": {"completions": -1},
        "parallelism": {"parallelism": -1},
        "backoffLimit": {"backoffLimit": -1},
        "deadline": {"activeDeadlineSeconds": -1},
        "ttl": {"ttlSecondsAfterFinished": -1},
    }.items():
        seen(name, api.post(dry, _body(**spec)), without=["metadata", "spec"] if name == "manual selector" else [])
    for policy in (None, "Always", "Odd"):
        seen(f"restartPolicy {policy}", api.post(dry, _body(pod={"restartPolicy": policy})))
    seen("no template", api.post(dry, {"metadata": {"name": "a"}, "spec": {}}))


def test_updates(seen: Seen, api: Api, at: str) -> None:
    """Template, selector and completions never change"""
    api.post(at, _waiting(completions=2))
    seen("completions", api.patch(f"{at}/a", {"spec": {"completions": 3}}))
    seen("completion mode", api.patch(f"{at}/a", {"spec": {"completionMode": "Indexed"}}))
    changed = api.patch(f"{at}/a", {"spec": {"template": {"spec": {"hostname": "b"}}}})
    seen("template", changed, only=["code", "details.causes.field", "details.causes.reason"])
    assert changed.message.endswith("field is immutable")
    allowed = {"parallelism": 2, "backoffLimit": 1, "ttlSecondsAfterFinished": 5, "activeDeadlineSeconds": 100}
    seen("allowed", api.patch(f"{at}/a", {"spec": allowed}), only=[f"spec.{name}" for name in allowed])


def test_deletion(seen: Seen, api: Api, at: str, namespace: str, k: Kubectl) -> None:
    """A Job deleted without more words leaves its Pods, and says so"""
    api.post(at, _waiting())
    api.until(f"{at}/a", lambda job: job.get("status", {}).get("active") == 1)
    seen("delete", api.delete(f"{at}/a"), only=["kind", "status", "metadata.finalizers"])
    api.until_gone(f"{at}/a")
    (left,) = items(api, namespace, "pods")
    assert "ownerReferences" not in left["metadata"]


def test_commands(seen: Seen, api: Api, at: str, k: Kubectl) -> None:
    """kubectl create job, get and wait"""
    seen.text("create", k("create", "job", "a", "--image", IMAGE, "--", "echo", "x"))
    seen.value(
        "created", api.get(f"{at}/a").json["spec"], only=["template.spec.containers", "template.spec.restartPolicy"]
    )
    seen.text("wait", k("wait", "job/a", "--for=condition=Complete", "--timeout=20s"))
    seen("columns", api.get(at, accept=TABLE), only=["columnDefinitions"])
    seen.alias("job", api.get(f"{at}/a").json["metadata"]["uid"])
    seen.text("get", k("get", "jobs", "-o", "wide"))
    api.post(at, _waiting("b", suspend=True))
    api.until(f"{at}/b", conditions)
    seen.text("suspended", k("get", "job", "b"))
    seen.text("delete", k("delete", "job", "a", "b"))
