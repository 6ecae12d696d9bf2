"""Pods: defaults, refusals, updates, eviction, deletion, selectors, columns"""

from collections.abc import Callable
from typing import Any

import pytest

from tests.api import JSON_PATCH, STRATEGIC, TABLE, Answer, Api
from tests.kubectl import Kubectl

from .observations import Seen
from .workloads import IMAGE, container, items, path, pod, template

NOWHERE = {"nodeSelector": {"no": "such-node"}}


@pytest.fixture
def at(namespace: str) -> str:
    """The path of Pods."""
    return path(namespace, "pods")


Try = Callable[..., Answer]


@pytest.fixture
def try_spec(api: Api, at: str) -> Try:
    """``try_spec(hostNetwork=True)`` would create such a Pod."""
    return lambda **spec: api.post(f"{at}?dryRun=All", pod(**spec))


@pytest.fixture
def try_container(try_spec: Try) -> Try:
    """``try_container(ports=[…])`` would create a Pod with such a container."""
    return lambda **fields: try_spec(containers=[container(**fields)])


def _running(body: Any) -> bool:
    return body["status"].get("phase") == "Running"


def test_defaults(seen: Seen, api: Api, at: str) -> None:
    """A minimal Pod gets its defaults, its ServiceAccount and a token"""
    seen("create", api.post(at, pod(**NOWHERE)))
    assert api.get(f"{at}/a").json["spec"]["volumes"][0]["name"].startswith("kube-api-access-")


def test_defaults_of_details(seen: Seen, try_spec: Try) -> None:
    """Probes, ports, references and volumes get their defaults"""
    full = container(
        image="example.com/app",
        ports=[{"containerPort": 80}],
        env=[{"name": "N", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
        livenessProbe={"httpGet": {"port": 80}},
        readinessProbe={"tcpSocket": {"port": "x"}},
        startupProbe={"grpc": {"port": 80}},
        lifecycle={"preStop": {"httpGet": {"port": 80}}},
        resources={"limits": {"cpu": "0.5", "memory": "1024Mi"}},
        volumeMounts=[{"name": "e", "mountPath": "/e"}],
    )
    volumes = [
        {"name": "e"},
        {"name": "c", "configMap": {"name": "c"}},
        {"name": "s", "secret": {"secretName": "s"}},
        {"name": "h", "hostPath": {"path": "/h"}},
        {"name": "d", "downwardAPI": {"items": [{"path": "p", "fieldRef": {"fieldPath": "metadata.labels"}}]}},
        {"name": "p", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}},
        {
            "name": "x",
            "ephemeral": {
                "volumeClaimTemplate": {
                    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
                }
            },
        },
    ]
    whole = try_spec(containers=[full], volumes=volumes, automountServiceAccountToken=False, shareProcessNamespace=True)
    seen("create", whole)


def test_service_account(seen: Seen, api: Api, namespace: str, try_spec: Try) -> None:
    """The Pod's ServiceAccount must exist; its pull secrets and its wish for no token are taken over"""
    seen("of nothing", try_spec(serviceAccountName="none"))
    accounts = path(namespace, "serviceaccounts")
    account = {"metadata": {"name": "mine"}, "imagePullSecrets": [{"name": "s"}], "automountServiceAccountToken": False}
    api.post(accounts, account)
    wanted = ["spec.serviceAccountName", "spec.serviceAccount", "spec.imagePullSecrets", "spec.volumes"]
    seen("mine", try_spec(serviceAccountName="mine"), only=wanted)
    token = try_spec(serviceAccountName="mine", automountServiceAccountToken=True)
    seen("mine with a token", token, only=wanted)
    seen("by its old name", try_spec(serviceAccount="mine"), only=wanted)


def test_quality_of_service(seen: Seen, try_container: Try, try_spec: Try) -> None:
    """Requests and limits decide on the quality of service"""
    small, large = {"cpu": "100m", "memory": "1Mi"}, {"cpu": "200m", "memory": "2Mi"}
    wanted = ["spec.containers.resources", "status"]
    seen("nothing", try_container(), only=wanted)
    seen("limits", try_container(resources={"limits": small}), only=wanted)
    seen("limits of cpu", try_container(resources={"limits": {"cpu": 1}}), only=wanted)
    seen("requests", try_container(resources={"requests": small}), only=wanted)
    seen("both", try_container(resources={"requests": small, "limits": large}), only=wanted)
    seen("equal", try_container(resources={"requests": {"cpu": "0.1", "memory": "1Mi"}, "limits": small}), only=wanted)
    two = [container(resources={"limits": small}), container("d")]
    seen("one of two", try_spec(containers=two), only=wanted)


def test_containers(seen: Seen, try_spec: Try, try_container: Try) -> None:
    """A Pod needs containers with names of their own and images"""
    seen("none", try_spec(containers=[]))
    seen("same name", try_spec(containers=[container(), container()]))
    seen("same name as an init container", try_spec(initContainers=[container()]))
    seen("no name", try_container(name=""))
    seen("bad name", try_container(name="A_b"))
    seen("long name", try_container(name="c" * 64))
    seen("pull policy", try_container(imagePullPolicy="Sometimes"))
    seen("unknown field", try_container(odd=True))


def test_pod_templates(seen: Seen, api: Api, namespace: str) -> None:
    """A PodTemplate is checked as a Pod is"""
    at = f"{path(namespace, 'podtemplates')}?dryRun=All"
    metadata = {"metadata": {"name": "a"}}
    seen("create", api.post(at, {**metadata, "template": template()}))
    seen("no template", api.post(at, metadata))
    seen("no spec", api.post(at, {**metadata, "template": {}}))
    seen("no image", api.post(at, {**metadata, "template": template(containers=[container(image="")])}))
    seen("bad label", api.post(at, {**metadata, "template": template("a b")}))


def test_ports(seen: Seen, try_container: Try) -> None:
    """Ports of containers are numbers from 1 to 65535, with names and protocols of their own"""
    for name, port in {
        "none": {},
        "zero": {"containerPort": 0},
        "too large": {"containerPort": 65536},
        "protocol": {"containerPort": 80, "protocol": "HTTP"},
        "long name": {"containerPort": 80, "name": "a-name-that-is-long"},
        "bad name": {"containerPort": 80, "name": "A"},
        "digits": {"containerPort": 80, "name": "80"},
        "dashes": {"containerPort": 80, "name": "-a--b"},
    }.items():
        seen(name, try_container(ports=[port]))
    twice = [{"containerPort": 80, "name": "a"}, {"containerPort": 81, "name": "a"}]
    seen("same name", try_container(ports=twice))


def test_environment(seen: Seen, try_container: Try) -> None:
    """Variables need names, and a value from one place"""
    for name, variable in {
        "no name": {"value": "v"},
        "no key": {"name": "A", "valueFrom": {"secretKeyRef": {"name": "s"}}},
        "no path": {"name": "A", "valueFrom": {"fieldRef": {}}},
        "another type": {"name": "A", "value": 1},
    }.items():
        seen(name, try_container(env=[variable]))


def test_resources(seen: Seen, try_container: Try) -> None:
    """Requests are no more than limits, and quantities of known resources"""
    for name, resources in {
        "more than the limit": {"requests": {"cpu": 2}, "limits": {"cpu": 1}},
        "negative": {"requests": {"memory": "-1Mi"}},
        "no quantity": {"requests": {"memory": "1 Mi"}},
        "fraction of a millicore": {"requests": {"cpu": "0.0001"}},
    }.items():
        seen(name, try_container(resources=resources))


def test_volume_mounts(seen: Seen, try_spec: Try, try_container: Try) -> None:
    """Mounts name volumes of the Pod, each at a path of its own"""
    volumes = [{"name": "v"}]

    def mounted(*mounts: dict[str, Any]) -> Answer:
        return try_spec(containers=[container(volumeMounts=list(mounts))], volumes=volumes)

    seen("unknown volume", mounted({"name": "x", "mountPath": "/x"}))
    seen("no name", mounted({"mountPath": "/x"}))
    seen("no path", mounted({"name": "v"}))
    seen("sub path upwards", mounted({"name": "v", "mountPath": "/x", "subPath": "../y"}))


def test_volumes(seen: Seen, try_spec: Try) -> None:
    """Each volume has a name and one source"""
    for name, volume in {
        "bad name": {"name": "A"},
        "two sources": {"name": "v", "emptyDir": {}, "configMap": {"name": "c"}},
        "item without a key": {"name": "v", "configMap": {"name": "c", "items": [{"path": "p"}]}},
        "claim without a name": {"name": "v", "persistentVolumeClaim": {}},
        "hostPath without a path": {"name": "v", "hostPath": {}},
    }.items():
        seen(name, try_spec(volumes=[volume]))
    seen("same name", try_spec(volumes=[{"name": "v"}, {"name": "v"}]))


def test_probes(seen: Seen, try_container: Try) -> None:
    """A probe has one way of asking, and sensible numbers"""
    http = {"httpGet": {"port": 80}}
    for name, probe in {
        "no handler": {"periodSeconds": 1},
    }.items():
        seen(name, try_container(livenessProbe=probe))
    seen(
        "readiness may wait for more",
        try_container(readinessProbe={**http, "successThreshold": 2}),
        only=["spec.containers.readinessProbe"],
    )


def test_spec(seen: Seen, try_spec: Try) -> None:
    """Other fields of a Pod's spec"""
    for name, spec in {
        "restart policy": {"restartPolicy": "Sometimes"},
        "account name": {"serviceAccountName": "A_b"},
        "unknown priority class": {"priorityClassName": "odd"},
        "unknown priority": {"priority": 7},
        "grace": {"terminationGracePeriodSeconds": -1},
        "runtime class": {"runtimeClassName": "odd"},
        "preemption policy": {"preemptionPolicy": "Odd"},
    }.items():
        seen(name, try_spec(**spec), only=[] if name != "grace" else ["spec.terminationGracePeriodSeconds"])


def test_updates(seen: Seen, api: Api, at: str) -> None:
    """Of a Pod's spec only images, deadlines and new tolerations may change"""
    api.post(at, pod(**NOWHERE))
    image = {"spec": {"containers": [{"name": "c", "image": f"{IMAGE}.1"}]}}
    seen("image", api.patch(f"{at}/a", image, STRATEGIC), only=["spec.containers.image", "metadata.generation"])
    seen(
        "labels",
        api.patch(f"{at}/a", {"metadata": {"labels": {"l": "1"}}}),
        only=["metadata.labels", "metadata.generation"],
    )
    command = {"spec": {"containers": [{"name": "c", "command": ["x"]}]}}
    seen(
        "command",
        api.patch(f"{at}/a", command, STRATEGIC),
        only=["status", "code", "details.causes.field", "details.causes.reason"],
    )
    api.patch(f"{at}/a", {"spec": {"containers": [{"name": "d", "image": IMAGE}]}}, STRATEGIC)
    seen("host name", api.patch(f"{at}/a", {"spec": {"hostname": "b"}}), only=["code", "details.causes.field"])
    longer = {"spec": {"activeDeadlineSeconds": 50}}
    seen("deadline", api.patch(f"{at}/a", longer), only=["spec.activeDeadlineSeconds"])
    add = [{"op": "add", "path": "/spec/tolerations/-", "value": {"key": "k", "operator": "Exists"}}]
    seen("toleration", api.patch(f"{at}/a", add, JSON_PATCH), only=["spec.tolerations"])
    remove = [{"op": "remove", "path": "/spec/tolerations/0"}]
    seen("no toleration", api.patch(f"{at}/a", remove, JSON_PATCH), only=["spec.tolerations"])
    seen("status", api.patch(f"{at}/a", {"status": {"phase": "Failed"}}), only=["status.phase"])


def test_status_updates(seen: Seen, api: Api, at: str) -> None:
    """The status subresource takes a status, whose conditions and names are checked"""
    api.post(at, pod(**NOWHERE))
    ready = {"type": "Ready", "status": "False", "reason": "R", "message": "m"}
    seen(
        "condition",
        api.patch(f"{at}/a/status", {"status": {"conditions": [ready]}}),
        only=["status.conditions.type", "status.phase"],
    )
    seen("spec is kept", api.patch(f"{at}/a/status", {"spec": {"hostname": "b"}}), only=["spec.hostname", "code"])
    seen(
        "phase",
        api.patch(f"{at}/a/status", {"status": {"phase": "Running", "message": "m"}}),
        only=["status.phase", "status.message"],
    )


def test_ephemeral_containers(seen: Seen, api: Api, at: str) -> None:
    """Ephemeral containers come by their own subresource only"""
    api.post(at, pod(**NOWHERE))
    more = {"spec": {"ephemeralContainers": [{"name": "e", "image": IMAGE}]}}
    seen("by subresource", api.patch(f"{at}/a/ephemeralcontainers", more, STRATEGIC), only=["spec.ephemeralContainers"])
    seen("get", api.get(f"{at}/a/ephemeralcontainers"), only=["kind", "spec.ephemeralContainers.name"])


def test_binding(seen: Seen, api: Api, at: str) -> None:
    """A Pod is bound once, to a node that is named"""
    api.post(at, pod(**NOWHERE))
    target = {"apiVersion": "v1", "kind": "Node", "name": "somewhere"}
    seen("without a target", api.post(f"{at}/a/binding", {"metadata": {"name": "a"}}))
    seen("to a Pod", api.post(f"{at}/a/binding", {"metadata": {"name": "a"}, "target": {**target, "kind": "Pod"}}))
    seen("of nothing", api.post(f"{at}/b/binding", {"metadata": {"name": "b"}, "target": target}))
    seen("bind", api.post(f"{at}/a/binding", {"metadata": {"name": "a"}, "target": target}))
    bound = api.get(f"{at}/a")
    seen("bound", bound, only=["spec.nodeName", "metadata.generation"])
    assert bound.json["spec"]["nodeName"] == "somewhere"
    seen("again", api.post(f"{at}/a/binding", {"metadata": {"name": "a"}, "target": target}))
    moved = api.patch(f"{at}/a", {"spec": {"nodeName": "elsewhere"}})
    assert moved.status == 422
    api.delete(f"{at}/a?gracePeriodSeconds=0")


def test_scheduling_gates(seen: Seen, api: Api, at: str, k: Kubectl) -> None:
    """A Pod with gates waits; gates can be taken away, not added"""
    api.post(at, pod(schedulingGates=[{"name": "example.com/a"}]))
    api.until(f"{at}/a", lambda item: item["status"].get("conditions"))
    seen("waiting", api.get(f"{at}/a"), only=["status.conditions.reason", "status.conditions.message", "status.phase"])
    seen.text("get", k("get", "pod", "a"))
    seen("none", api.patch(f"{at}/a", {"spec": {"schedulingGates": []}}), only=["spec.schedulingGates"])
    api.until(f"{at}/a", _running)


def test_unschedulable(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """A Pod that fits nowhere says so"""
    api.post(at, pod(**NOWHERE))
    found = api.until(f"{at}/a", lambda item: item["status"].get("conditions"))
    seen.value("conditions", found["status"]["conditions"], only=["type", "status", "reason"])
    seen.value("phase", found["status"], only=["phase", "qosClass", "observedGeneration"])
    event = api.until(path(namespace, "events"), lambda body: body["items"])["items"][0]
    seen.value("event", event, only=["type", "reason", "reportingComponent", "source", "action", "involvedObject"])


def test_deletion(seen: Seen, api: Api, at: str) -> None:
    """A Pod of no node goes at once; one that a node has gets its grace, which can be shortened"""
    api.post(at, pod(**NOWHERE))
    seen("of no node", api.delete(f"{at}/a"), only=["kind", "status.phase", "metadata.deletionTimestamp"])
    assert api.get(f"{at}/a").status == 404
    api.post(at, pod("b", nodeName="gone-away"))
    wanted = ["kind", "metadata.deletionGracePeriodSeconds", "metadata.generation"]
    first = seen("of a node", api.delete(f"{at}/b"), only=wanted).json
    second = seen("shorter", api.delete(f"{at}/b?gracePeriodSeconds=5"), only=wanted).json
    assert second["metadata"]["deletionTimestamp"] < first["metadata"]["deletionTimestamp"]
    seen("longer again", api.delete(f"{at}/b?gracePeriodSeconds=50"), only=wanted)
    seen("negative", api.delete(f"{at}/b?gracePeriodSeconds=-1"), only=wanted)
    seen("other uid", api.delete(f"{at}/b", {"preconditions": {"uid": "mine"}}))
    seen("at once", api.delete(f"{at}/b?gracePeriodSeconds=0"), only=wanted)
    assert api.get(f"{at}/b").status == 404


def test_deletion_with_finalizers(seen: Seen, api: Api, at: str) -> None:
    """A Pod with finalizers stays until they are gone"""
    keep = {"metadata": {"name": "a", "finalizers": ["example.com/keep"]}, "spec": pod(**NOWHERE)["spec"]}
    api.post(at, keep)
    wanted = ["kind", "metadata.deletionGracePeriodSeconds", "metadata.finalizers", "metadata.deletionTimestamp"]
    seen("delete", api.delete(f"{at}/a"), only=wanted)
    seen("still there", api.get(f"{at}/a"), only=wanted)
    added = {"metadata": {"finalizers": ["example.com/keep", "example.com/more"]}}
    seen("one more", api.patch(f"{at}/a", added))
    seen("none", api.patch(f"{at}/a", {"metadata": {"finalizers": None}}), only=wanted)
    assert api.get(f"{at}/a").status == 404


def test_eviction(seen: Seen, api: Api, at: str, namespace: str) -> None:
    """Eviction deletes a Pod unless a PodDisruptionBudget forbids it"""
    api.post(at, pod(**NOWHERE))
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "a"}}
    seen("dry run", api.post(f"{at}/a/eviction", {**body, "deleteOptions": {"dryRun": ["All"]}}))
    seen("other name", api.post(f"{at}/a/eviction", {**body, "metadata": {"name": "b"}}))
    seen("evict", api.post(f"{at}/a/eviction", body))
    assert api.get(f"{at}/a").status == 404
    seen("of nothing", api.post(f"{at}/a/eviction", body))
    api.post(at, pod())
    api.until(f"{at}/a", _running)
    budgets = path(namespace, "poddisruptionbudgets")
    budget = {"metadata": {"name": "d"}, "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "a"}}}}
    seen("budget", api.post(budgets, budget))
    ready = api.until(f"{budgets}/d", lambda item: item.get("status", {}).get("expectedPods"))
    seen.value("status of the budget", ready["status"])
    seen("against the budget", api.post(f"{at}/a/eviction", body))
    assert api.get(f"{at}/a").status == 200


def test_budgets(seen: Seen, api: Api, namespace: str) -> None:
    """A PodDisruptionBudget may say nothing"""
    budgets = f"{path(namespace, 'poddisruptionbudgets')}?dryRun=All"
    seen("empty", api.post(budgets, {"metadata": {"name": "d"}, "spec": {}}), only=["spec"])


def test_field_selectors(seen: Seen, api: Api, at: str) -> None:
    """Pods are found by name, namespace, node, phase and policies"""
    api.post(at, pod("a", **NOWHERE))
    api.post(at, pod("b", restartPolicy="Never", **NOWHERE))
    for selector in (
        "metadata.name=a",
        "metadata.name!=a",
        "spec.nodeName=",
        "spec.nodeName=x",
        "status.phase=Pending",
        "status.phase!=Pending",
        "spec.restartPolicy=Never",
        "spec.restartPolicy==Always,metadata.name=a",
        "spec.schedulerName=default-scheduler",
        "spec.serviceAccountName=default",
        "spec.hostNetwork=false",
        "status.podIP=",
        "status.nominatedNodeName=",
    ):
        found = api.get(f"{at}?fieldSelector={selector.replace(',', '%2C')}")
        seen.value(selector, sorted(item["metadata"]["name"] for item in found.json["items"]))
    seen("unknown", api.get(f"{at}?fieldSelector=spec.odd=1"))
    seen("no selector", api.get(f"{at}?fieldSelector=x"))


def test_columns(seen: Seen, api: Api, at: str, k: Kubectl) -> None:
    """Pods as a table"""
    two = [container(), container("d")]
    api.post(at, pod("a", containers=two, readinessGates=[{"conditionType": "example.com/ready"}], **NOWHERE))
    seen("columns", api.get(at, accept=TABLE), only=["columnDefinitions"])
    seen.text("waiting", k("get", "pods", "-o", "wide"))
    statuses = [
        {"name": "c", "ready": True, "restartCount": 2, "image": IMAGE, "imageID": "", "state": {"running": {}}},
        {
            "name": "d",
            "ready": False,
            "restartCount": 1,
            "image": IMAGE,
            "imageID": "",
            "state": {"waiting": {"reason": "CrashLoopBackOff"}},
        },
    ]
    api.patch(f"{at}/a/status", {"status": {"phase": "Running", "containerStatuses": statuses}})
    seen.text("waiting container", k("get", "pods"))
    statuses[1]["state"] = {"terminated": {"exitCode": 3}}
    api.patch(f"{at}/a/status", {"status": {"containerStatuses": statuses}})
    seen.text("ended container", k("get", "pods"))
    api.patch(f"{at}/a/status", {"status": {"phase": "Failed", "reason": "Evicted", "containerStatuses": []}})
    seen.text("evicted", k("get", "pods", "--no-headers"))
    assert len(items(api, at.split("/")[4], "pods")) == 1


def test_run_command(seen: Seen, api: Api, at: str, k: Kubectl) -> None:
    """kubectl run, label, annotate and delete"""
    seen.text(
        "run",
        k(
            "run",
            "a",
            "--image",
            IMAGE,
            "--port=80",
            "--env=K=v",
            "--labels=l=1",
            "--overrides",
            '{"spec":{"nodeSelector":{"no":"such-node"}}}',
        ),
    )
    made = api.get(f"{at}/a").json
    seen.value(
        "made", made, only=["metadata.labels", "spec.containers.env", "spec.containers.ports", "spec.restartPolicy"]
    )
    seen.text("run again", k("run", "a", "--image", IMAGE, fails=True))
    seen.text("label", k("label", "pod", "a", "m=2"))
    seen.text("label again", k("label", "pod", "a", "m=3", fails=True))
    seen.text("label away", k("label", "pod", "a", "m-"))
    seen.text("annotate", k("annotate", "pod", "a", "n=text"))
    seen.text("show labels", k("get", "pods", "--show-labels"))
    seen.text("label column", k("get", "pods", "-L", "l"))
    seen.text("delete", k("delete", "pod", "a"))
    seen.text("get", k("get", "pods"))
