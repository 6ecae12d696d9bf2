"""Built-in kinds: no error is reported for what the server accepts, and errors of its decoder are found before it is
asked.

Objects are changed at random (seeded): a field taken away, another type, an unknown name. --kubeconfig asks a real
cluster.
"""

import copy
import os
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kube.catalog import pick_schema
from kube.discovery import ResourceType
from resources.forms import errors
from resources.forms.schema import Schema
from tests.api import Api

EACH = 60 if os.environ.get("FORMS") == "all" else 25
POD = (
    "containers: [{name: c, image: i, ports: [{containerPort: 80, name: http}], env: [{name: A, value: b}, {name: B,"
    " valueFrom: {secretKeyRef: {name: s, key: k}}}], resources: {limits: {cpu: 100m, memory: 1Gi}}, volumeMounts:"
    " [{name: v, mountPath: /v}], livenessProbe: {httpGet: {path: /, port: 80, httpHeaders: [{name: X, value: y}]}}}],"
    " volumes: [{name: v, emptyDir: {}}], tolerations: [{key: a, operator: Exists, effect: NoSchedule}]"
)
OBJECTS = f"""
{{apiVersion: v1, kind: ConfigMap, metadata: {{name: a, labels: {{x: y}}}}, data: {{a: b}}, immutable: false}}
---
{{apiVersion: v1, kind: Secret, metadata: {{name: a}}, type: Opaque, data: {{a: YQ==}}, stringData: {{b: c}}}}
---
{{apiVersion: v1, kind: Service, metadata: {{name: a}},
  spec: {{selector: {{x: y}}, ports: [{{port: 80, targetPort: http, protocol: TCP, name: a}}]}}}}
---
{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: a}},
  spec: {{accessModes: [ReadWriteOnce], resources: {{requests: {{storage: 1Gi}}}}}}}}
---
{{apiVersion: v1, kind: ServiceAccount, metadata: {{name: a}}, automountServiceAccountToken: false}}
---
{{apiVersion: v1, kind: Pod, metadata: {{name: a}}, spec: {{{POD}}}}}
---
{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: a}},
  spec: {{replicas: 2, selector: {{matchLabels: {{x: y}}}},
    template: {{metadata: {{labels: {{x: y}}}}, spec: {{{POD}}}}}}}}}
---
{{apiVersion: batch/v1, kind: CronJob, metadata: {{name: a}},
  spec: {{schedule: "* * * * *", jobTemplate: {{spec: {{template: {{spec: {{restartPolicy: Never, {POD}}}}}}}}}}}}}
---
{{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {{name: a}},
  spec: {{podSelector: {{}}, policyTypes: [Ingress],
    ingress: [{{ports: [{{port: 80}}], from: [{{ipBlock: {{cidr: 10.0.0.0/8}}}}]}}]}}}}
---
{{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {{name: "a:b"}},
  rules: [{{apiGroups: [""], resources: [pods], verbs: [get]}}]}}
---
{{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {{name: "a:b"}},
  roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: Role, name: a}},
  subjects: [{{kind: ServiceAccount, name: x, namespace: y}}]}}
"""
GIVEN = list(yaml.safe_load_all(OBJECTS))
_VALUES: tuple[Any, ...] = ("", "x", 0, -1, 1.5, 2**31, True, None, [], {}, ["x"], {"x": 1}, [1])


@pytest.fixture(scope="module")
def api(cluster_kubeconfig: Path) -> Api:
    return Api(cluster_kubeconfig)


def address(obj: dict[str, Any]) -> str:
    group = obj["apiVersion"]
    plural = {"NetworkPolicy": "networkpolicies"}.get(obj["kind"], f"{obj['kind'].lower()}s")
    base = f"/apis/{group}" if "/" in group else "/api/v1"
    return f"{base}/namespaces/default/{plural}?dryRun=All&fieldValidation=Strict"


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in inside:
        if (*path, key) not in (("apiVersion",), ("kind",), ("metadata",)):
            yield (*path, key)
        yield from places(inner, (*path, key))


def changed(obj: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    made = copy.deepcopy(obj)
    *path, last = chance.choice(list(places(made)))
    place: Any = made
    for part in path:
        place = place[part]
    what = chance.randrange(4)
    if what == 0:
        del place[last]
    elif what == 1 and isinstance(place[last], dict):
        place[last]["zzUnknown"] = "x"
    else:
        place[last] = copy.deepcopy(chance.choice(_VALUES))
    return made


def complaint(message: str) -> tuple[str, str]:
    """(what was given, the fields on the way).

    Schemas do not tell Go's names of types, nor which structs lie in others.
    """
    found = re.search(r"cannot unmarshal (.*) into Go struct field \w+\.(\S+) of type", message)
    if found is None:
        return message, ""
    return found[1], ".".join(part for part in found[2].split(".") if not part[:1].isupper())


@pytest.mark.parametrize("obj", GIVEN, ids=lambda obj: obj["kind"])
def test_nothing_is_said_that_the_server_would_take(obj: dict[str, Any], api: Api) -> None:
    group, _, version = obj["apiVersion"].rpartition("/")
    index = api.get("/openapi/v3").json["paths"]
    found = index[f"apis/{obj['apiVersion']}" if group else "api/v1"]["serverRelativeURL"]
    schema = Schema.from_document(
        pick_schema(
            api.get(found).raw, ResourceType(group=group, version=version, plural="", kind=obj["kind"], namespaced=True)
        )
    )
    assert schema.root
    chance = random.Random(obj["kind"])
    known = decoded = 0
    for given in (obj, *(changed(obj, chance) for _ in range(EACH))):
        answer = api.post(address(obj), given)
        problems = errors.object_problems(schema, given)
        if answer.status == 201:
            assert not problems, (given, problems)
        elif answer.status == 400 and "cannot unmarshal" in answer.message:
            decoded += 1
            known += complaint(answer.message) in {complaint(problem.message) for problem in problems}
            assert all(problem.path for problem in problems)
        elif answer.status == 400 and "unknown field" in answer.message:
            assert any(problem.message in answer.message for problem in problems), (answer.message, problems)
    assert known == decoded
