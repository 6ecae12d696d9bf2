"""CronJobs: defaults, schedules, suspension, refusals"""

import re
from typing import Any

import pytest

from tests.api import TABLE, Api
from tests.kubectl import Kubectl

from .observations import Seen
from .workloads import IMAGE, conditions, container, items, path


@pytest.fixture
def at(namespace: str) -> str:
    """The path of CronJobs."""
    return path(namespace, "cronjobs")


def _body(schedule: str = "0 0 1 1 *", pod: Any = None, **spec: Any) -> Any:
    template = {"spec": {"restartPolicy": "Never", "containers": [container()], **(pod or {})}}
    return {
        "metadata": {"name": "a"},
        "spec": {"schedule": schedule, "jobTemplate": {"spec": {"template": template}}, **spec},
    }


def test_defaults(seen: Seen, api: Api, at: str) -> None:
    """A minimal CronJob gets its defaults; its Job template gets only those of Pods"""
    seen("create", api.post(at, _body()))


def test_schedules(seen: Seen, api: Api, at: str) -> None:
    """Schedules have five fields, or a name"""
    dry = f"{at}?dryRun=All"
    for schedule in (
        "",
        "* * * *",
        "* * * * * *",
        "60 * * * *",
        "x * * * *",
        "*/0 * * * *",
        "5-1 * * * *",
        "* * 0 * *",
        "@odd",
        "* * * 13 *",
        "* * * * 8",
        "@every x",
    ):
        seen(f"refused {schedule}", api.post(dry, _body(schedule)))
    for schedule in ("@daily", "@every 1h", "*/5 1-3,5 * JAN MON-FRI", "0 0 ? * 0", "@midnight"):
        seen(f"taken {schedule}", api.post(dry, _body(schedule)), only=["spec.schedule", "message"])
    api.post(at, _body())


def test_time_zones(seen: Seen, api: Api, at: str) -> None:
    """Time zones are those of the tz database"""
    dry = f"{at}?dryRun=All"
    seen("known", api.post(dry, _body(timeZone="Europe/Berlin")), only=["spec.timeZone"])
    for zone in ("", "Odd/Zone", "Local", " UTC", "europe/berlin/x"):
        seen(f"refused {zone}", api.post(dry, _body(timeZone=zone)))


def test_refusals(seen: Seen, api: Api, at: str) -> None:
    """Each invalid field of a CronJob's spec is named"""
    dry = f"{at}?dryRun=All"
    for name, spec in {
        "policy": {"concurrencyPolicy": "Odd"},
        "deadline": {"startingDeadlineSeconds": -1},
        "history": {"successfulJobsHistoryLimit": -1, "failedJobsHistoryLimit": -1},
    }.items():
        seen(name, api.post(dry, _body(**spec)))
    seen("restartPolicy", api.post(dry, _body(pod={"restartPolicy": "Always"})))
    seen(
        "no schedule",
        api.post(dry, {"metadata": {"name": "a"}, "spec": {"jobTemplate": _body()["spec"]["jobTemplate"]}}),
    )
    seen("no template", api.post(dry, {"metadata": {"name": "a"}, "spec": {"schedule": "@daily"}}))
    seen("long name", api.post(dry, {**_body(), "metadata": {"name": "a" * 53}}))


def test_job_from(seen: Seen, api: Api, at: str, namespace: str, k: Kubectl) -> None:
    """kubectl create job --from makes one at once, which the CronJob owns"""
    api.post(at, _body(suspend=True))
    seen.text("create", k("create", "job", "b", "--from=cronjob/a"))
    made = api.until(f"{path(namespace, 'jobs')}/b", lambda item: "Complete" in conditions(item))
    seen.value("made", made["metadata"], only=["annotations", "ownerReferences"])
    seen.value("status of the CronJob", api.get(f"{at}/a").json["status"], without=["lastSuccessfulTime"])
    seen.text("of nothing", k("create", "job", "c", "--from=cronjob/none", fails=True))


def test_run(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """At its minute a CronJob makes a Job, named after the minute; while it is suspended it makes none"""
    body = _body("* * * * *", suspend=True)
    body["metadata"]["labels"] = {"l": "1"}
    body["spec"]["jobTemplate"]["metadata"] = {"labels": {"m": "2"}, "annotations": {"n": "3"}}
    assert api.post(at, body).status == 201
    seen.value("suspended", api.get(f"{at}/a").json, only=["spec.suspend", "status"])
    assert items(api, namespace, "jobs") == []
    api.patch(f"{at}/a", {"spec": {"suspend": False}})
    # A time that passed while it was suspended counts as missed and is made up for at once, so this waits a minute at
    # most.
    found = api.until(path(namespace, "jobs"), lambda jobs: len(jobs["items"]) > 0, 90)
    job = found["items"][0]
    assert re.fullmatch(r"a-\d{8}", job["metadata"]["name"])
    scheduled = job["metadata"]["annotations"].pop("batch.kubernetes.io/cronjob-scheduled-timestamp")
    assert scheduled.endswith(":00Z")
    seen.value("made", job["metadata"], only=["labels.m", "annotations", "ownerReferences"])
    api.until(f"{at}/a", lambda item: item["status"].get("lastScheduleTime") == scheduled)
    api.patch(f"{at}/a", {"spec": {"suspend": True}})


def test_columns(seen: Seen, api: Api, at: str, k: Kubectl) -> None:
    """CronJobs as a table; kubectl create cronjob"""
    seen.text("create", k("create", "cronjob", "a", "--image", IMAGE, "--schedule=0 0 1 1 *", "--", "x"))
    seen("columns", api.get(at, accept=TABLE), only=["columnDefinitions"])
    api.patch(f"{at}/a", {"spec": {"suspend": True, "timeZone": "Asia/Tokyo"}})
    seen.text("get", k("get", "cronjobs", "-o", "wide"))
