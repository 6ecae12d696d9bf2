"""Pods are replaced when what they use is another one, and not otherwise."""

import yaml

from examples.operators.kudo.dependencies import HASH
from examples.operators.tests.kudo.engines import Instances, apply, config_map, ended, plan, uid

USES = {
    "mounted": {"volumes": [{"name": "v", "configMap": {"name": "{{ .Name }}-settings"}}]},
    "projected": {
        "volumes": [{"name": "v", "projected": {"sources": [{"configMap": {"name": "{{ .Name }}-settings"}}]}}]
    },
    "variables": {"envFrom": [{"configMapRef": {"name": "{{ .Name }}-settings"}}]},
    "variable": {
        "env": [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "{{ .Name }}-settings", "key": "word"}}}]
    },
    "nothing": {},
}


def workload(name: str, volumes: list | None = None, **container: object) -> str:
    labels = {"app": "{{ .Name }}-" + name}
    spec = {"containers": [{"name": "work", "image": "busybox", **container}], "volumes": volumes or []}
    template = {"metadata": {"labels": labels}, "spec": spec}
    meta = {"name": "{{ .Name }}-" + name}
    whole = {"selector": {"matchLabels": labels}, "replicas": 0, "template": template}
    return yaml.safe_dump({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": whole}, width=1000)


def hashes(instances: Instances) -> dict[str, str]:
    """Of each Deployment's template."""
    found = {}
    for name in USES:
        template = instances.api.get(instances.path("deployments", f"deps-{name}")).json["spec"]["template"]
        found[name] = (template["metadata"].get("annotations") or {}).get(HASH, "")
    return found


def test_pods_are_replaced_with_what_they_use(instances: Instances) -> None:
    settings = config_map("settings", word="{{ .Params.WORD }}")
    templates = {"settings": settings, **{name: workload(name, **uses) for name, uses in USES.items()}}
    tasks = [apply("settings"), apply("work", *USES)]
    parameters = [{"name": "WORD", "default": "a"}, {"name": "OTHER", "default": "a"}]
    instances.package(
        "deps-1", {"deploy": plan(("all", ["settings", "work"]))}, tasks, templates, parameters=parameters
    )
    instances.new("deps", "deps-1")
    first = instances.until("deps", ended("deploy"))
    before = hashes(instances)
    assert before["nothing"] == ""
    assert {len(found) for name, found in before.items() if name != "nothing"} == {32}

    instances.set("deps", OTHER="b")
    second = instances.until("deps", ended("deploy", since=uid(first, "deploy")))
    assert hashes(instances) == before, "nothing that they use is another"
    instances.set("deps", WORD="b")
    third = instances.until("deps", ended("deploy", since=uid(second, "deploy")))
    assert not {*hashes(instances).values()} & {*before.values()} - {""}

    instances.mend(
        "deps-1",
        settings=settings.replace("metadata:\n", "metadata:\n  annotations: {kudo.dev/skip-hash-calculation: ''}\n"),
    )
    instances.set("deps", WORD="c")
    instances.until("deps", ended("deploy", since=uid(third, "deploy")))
    assert set(hashes(instances).values()) == {""}
    instances.delete("deps")
