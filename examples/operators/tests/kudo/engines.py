"""Instances of small packages, which tests write for themselves, and the engine as a process that they may kill."""

from pathlib import Path
from typing import Any

import yaml

from examples.operators.tests.places import ROOT, Object, Place, Wanted, condition
from tests.api import CRDS, Api

Step = tuple[str, list[str]]


def plan(*steps: Step, strategy: str = "serial") -> Object:
    """A plan of one phase ``all``."""
    made = [{"name": name, "tasks": tasks} for name, tasks in steps]
    return {"strategy": "serial", "phases": [{"name": "all", "strategy": strategy, "steps": made}]}


def apply(name: str, *templates: str, kind: str = "Apply", **spec: Any) -> Object:
    """A task of templates; ``settings`` is of ``settings.yaml``."""
    return {
        "name": name,
        "kind": kind,
        "spec": {"resources": [f"{template}.yaml" for template in templates or (name,)], **spec},
    }


def config_map(suffix: str, **data: str) -> str:
    """A template of a ConfigMap ``<instance>-<suffix>``."""
    meta = {"name": "{{ .Name }}-" + suffix}
    return yaml.safe_dump({"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data}, width=1000)


def ended(plan: str, word: str = "COMPLETE", since: str = "") -> Wanted:
    """Whether a plan has ended so, in another execution than ``since``, and nothing runs."""

    def holds(found: Object) -> bool:
        status = ((found.get("status") or {}).get("planStatus") or {}).get(plan) or {}
        idle = not found["spec"].get("planExecution")
        return bool(idle and status.get("status") == word and status["uid"] != since)

    return holds


def step(found: Object, plan: str, name: str) -> Object:
    """The status of a step; empty before there is one."""
    status = ((found.get("status") or {}).get("planStatus") or {}).get(plan) or {}
    steps = [item for phase in status.get("phases") or [] for item in phase["steps"]]
    return next((step for step in steps if step["name"] == name), {})


def at(plan: str, name: str, words: str = "") -> Wanted:
    """Whether a plan is at this step, with these words in its message."""

    def holds(found: Object) -> bool:
        status = step(found, plan, name)
        return status.get("status") in ("IN_PROGRESS", "ERROR") and words in status["message"]

    return holds


def uid(found: Object, plan: str) -> str:
    """The last execution of a plan."""
    return str(found["status"]["planStatus"][plan]["uid"])


class Instances(Place):
    """The Instances of one namespace."""

    group, version, kind, plural = "kudo.dev", "v1beta1", "Instance", "instances"

    def package(self, name: str, plans: Object, tasks: list[Object], templates: dict[str, str], **spec: Any) -> None:
        """An OperatorVersion; ``name`` as in ``x-1.0.0``. ``templates`` by their names without ``.yaml``."""
        operator, _, number = name.rpartition("-")
        files = {f"{key}.yaml": template for key, template in templates.items()}
        made = {"operator": {"name": operator}, "version": number, "plans": plans, "tasks": tasks, "templates": files}
        body = {"apiVersion": "kudo.dev/v1beta1", "kind": "OperatorVersion", "metadata": {"name": name}}
        answer = self.api.post(self.versions, {**body, "spec": {**made, **spec}})
        assert answer.status == 201, answer.raw

    def mend(self, name: str, **templates: str) -> None:
        """Other templates for an OperatorVersion."""
        files = {f"{key}.yaml": template for key, template in templates.items()}
        answer = self.api.patch(f"{self.versions}/{name}", {"spec": {"templates": files}})
        assert answer.status == 200, answer.raw

    @property
    def versions(self) -> str:
        return self.home.replace("/instances", "/operatorversions")

    def new(self, name: str, version: str, **parameters: str) -> Object:
        return self.create(name, operatorVersion={"name": version}, parameters=parameters)

    def set(self, name: str, **parameters: str | None) -> None:
        """Other parameters; None is as if it was never given."""
        answer = self.change(name, parameters=parameters)
        assert answer.status == 200, answer.raw

    def run(self, name: str, plan: str) -> None:
        """Asks for a plan by hand."""
        answer = self.change(name, planExecution={"planName": plan})
        assert answer.status == 200, answer.raw

    def data(self, name: str) -> dict[str, str] | None:
        """Of a ConfigMap; None when there is none."""
        answer = self.api.get(self.path("configmaps", name))
        return dict(answer.json.get("data") or {}) if answer.status == 200 else None

    def until_accepted(self, name: str, reason: str) -> str:
        """The message of the condition Accepted as soon as it has this reason."""
        found = self.until(name, lambda item: condition(item, "Accepted").get("reason") == reason)
        return str(condition(found, "Accepted")["message"])

    def left(self, name: str) -> list[str]:
        """What is still there of an Instance, whatever it is."""
        plurals = ("configmaps", "secrets", "pods", "jobs", "deployments", "statefulsets", "persistentvolumeclaims")
        found = [(plural, item) for plural in plurals for item in self.listed(plural, f"kudo.dev/instance={name}")]
        return [f"{plural}/{item['metadata']['name']}" for plural, item in found]


def define(api: Api) -> None:
    """The three kinds, where no bundle has brought them."""
    for path in sorted(Path(ROOT, "examples", "operators", "packages", "galera", "1.0.0", "crds").iterdir()):
        body = yaml.safe_load(path.read_text())
        assert api.post(CRDS, body).status in (201, 409)
        name = body["metadata"]["name"]
        api.until(f"{CRDS}/{name}", lambda item: condition(item, "Established").get("status") == "True")
