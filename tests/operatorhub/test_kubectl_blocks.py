"""“The same with kubectl”: each block is run, and does what the page's button does.

Two namespaces with the same objects: the button acts in one, kubectl in the other.
"""

import contextlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.test import Client

from kube.client import ClusterClient
from kube.discovery import ResourceType
from operatorhub import olm
from resources.acting import pod_templates
from tests.eventually import until
from tests.operatorhub.blocks import ROOT, TEMPLATES, Kubectl, block_of

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(120)]

Object = dict[str, Any]
LABELS = {"app": "web"}
POD = {"containers": [{"name": "web", "image": "example.com/web:1"}]}
TEMPLATE = {"metadata": {"labels": LABELS}, "spec": POD}
JOB = {"spec": {"template": {"spec": {**POD, "restartPolicy": "Never"}}}}
FINALIZER = "tests.example/held"
GROUP, SUBSCRIPTION, SOURCE = (
    ("operators.coreos.com", plural) for plural in ("operatorgroups", "subscriptions", "catalogsources")
)
# Times, uids and random ends of names.
_CHANGING = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z|(?<=-manual-)[0-9a-z]+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, kw_only=True)
class Case:
    """`make`: (kind's group and plural, object) beforehand; `look`: the kind that is compared; `page` and `sent`: how
    the page with the block is asked for, by POST where something is sent; `pressed`: what the button sends, with
    `{uid}` of the object made last, `{uid of NAME}` and the like; `typed`: replacements for the block's placeholders in
    capitals.
    """

    name: str
    make: tuple[tuple[tuple[str, str], Object], ...]
    look: tuple[str, str]
    page: str
    pressed: dict[str, str]
    button: str = ""
    sent: dict[str, str] | None = None
    deleted: bool = False
    typed: tuple[tuple[str, str], ...] = ()


def named(name: str, **more: Any) -> Object:
    return {"metadata": {"name": name, **more.pop("metadata", {})}, **more}


MAPS, DEPLOYMENTS, CRON_JOBS, JOBS, PODS = (
    ("", "configmaps"),
    ("apps", "deployments"),
    ("batch", "cronjobs"),
    ("batch", "jobs"),
    ("", "pods"),
)
MAP = (MAPS, named("paint", data={"colour": "blue"}))
LABELLED = (MAPS, named("paint", metadata={"labels": {"old": "web"}}))
# An object that another one owns.
OWNED = (
    MAPS,
    named(
        "drawn",
        metadata={
            "ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "paint", "uid": "{uid of paint}"}]
        },
    ),
)
DEPLOYMENT = (
    DEPLOYMENTS,
    named("web", spec={"replicas": 0, "selector": {"matchLabels": LABELS}, "template": TEMPLATE}),
)
PAUSED = (DEPLOYMENTS, {**DEPLOYMENT[1], "spec": {**DEPLOYMENT[1]["spec"], "paused": True}})
CRON_JOB = (CRON_JOBS, named("nightly", spec={"schedule": "0 3 1 1 *", "jobTemplate": JOB}))
SUSPENDED = (CRON_JOBS, {**CRON_JOB[1], "spec": {**CRON_JOB[1]["spec"], "suspend": True}})
OWN = (GROUP, named("mine", spec={"targetNamespaces": ["{namespace}"]}))
# OLM finds nothing in a catalog that is not there, and leaves it alone.
SUB = (
    SUBSCRIPTION,
    named("db", spec={"name": "db", "channel": "stable", "source": "none", "sourceNamespace": "{namespace}"}),
)
CATALOG = (SOURCE, named("ours", spec={"sourceType": "grpc", "address": "127.0.0.1:1"}))
NEW_CATALOG = {
    "kind": "catalogsource",
    "name": "ours",
    "namespace": "{namespace}",
    "endpoint": "address",
    "address": "127.0.0.1:1",
    "title": "Ours",
}
CHANGED = {"version": "{version}", "channel": "fast", "approval": "Manual", "config.env": "- name: A\n  value: b\n"}
INSTALL = {"channel": "stable", "mode": "OwnNamespace", "install_namespace": "{namespace}", "approval": "Manual"}

CASES = [
    Case(
        name="delete",
        make=(MAP,),
        look=MAPS,
        page="/resources/core/v1/configmaps/{namespace}/paint/delete/",
        pressed={"uid": "{uid}", "propagation": "Background"},
    ),
    *(
        Case(
            name=f"delete-{way.lower()}",
            make=(OWNED, MAP),
            look=MAPS,
            page="/resources/core/v1/configmaps/{namespace}/paint/delete/",
            pressed={"uid": "{uid of paint}", "propagation": way},
        )
        for way in ("Background", "Foreground", "Orphan")
    ),
    Case(
        name="labels",
        make=(LABELLED,),
        look=MAPS,
        page="/resources/core/v1/configmaps/{namespace}/paint/labels/",
        pressed={"labels-was-key": "old", "labels-was-value": "web", "labels-key": "tier", "labels-value": "cache"},
        typed=(("KEY=VALUE", "tier=cache"), ("OLD-", "old-")),
    ),
    Case(
        name="environment",
        make=(DEPLOYMENT,),
        look=DEPLOYMENTS,
        page="/resources/apps/v1/deployments/{namespace}/web/environment/",
        pressed={
            "read": pod_templates.environment_digest(POD),
            "web-variable-name": "COLOUR",
            "web-variable-source": "value",
            "web-variable-value": "blue",
        },
        typed=(("NAME=value", "COLOUR=blue"), (" OLD-", "")),
    ),
    Case(
        name="restart",
        make=(DEPLOYMENT,),
        look=DEPLOYMENTS,
        page="/resources/apps/v1/deployments/{namespace}/web/act/restart/",
        pressed={},
    ),
    Case(
        name="pause",
        make=(DEPLOYMENT,),
        look=DEPLOYMENTS,
        page="/resources/apps/v1/deployments/{namespace}/web/act/pause/",
        pressed={},
    ),
    Case(
        name="resume",
        make=(PAUSED,),
        look=DEPLOYMENTS,
        page="/resources/apps/v1/deployments/{namespace}/web/act/resume/",
        pressed={},
    ),
    Case(
        name="suspend",
        make=(CRON_JOB,),
        look=CRON_JOBS,
        page="/resources/batch/v1/cronjobs/{namespace}/nightly/act/suspend/",
        pressed={},
    ),
    Case(
        name="resume-job",
        make=(SUSPENDED,),
        look=CRON_JOBS,
        page="/resources/batch/v1/cronjobs/{namespace}/nightly/act/resume/",
        pressed={},
    ),
    Case(
        name="run-job",
        make=(SUSPENDED,),
        look=JOBS,
        page="/resources/batch/v1/cronjobs/{namespace}/nightly/act/run/",
        pressed={},
    ),
    Case(
        name="evict",
        make=((PODS, named("web", spec=POD)),),
        look=PODS,
        page="/resources/core/v1/pods/{namespace}/web/act/evict/",
        pressed={},
    ),
    Case(
        name="finalizer",
        make=((MAPS, named("held", metadata={"finalizers": [FINALIZER, "tests.example/other"]})),),
        look=MAPS,
        deleted=True,
        page="/resources/core/v1/configmaps/{namespace}/held/finalizers/",
        pressed={"finalizer": FINALIZER, "typed": "held"},
    ),
    Case(
        name="bulk-label",
        make=(MAP,),
        look=MAPS,
        page="/resources/core/v1/configmaps/bulk/",
        sent={
            "action": "label",
            "changes": "tier=cache",
            "chosen": "{uid}/{namespace}/paint",
            "namespace": "{namespace}",
        },
        pressed={
            "action": "label",
            "changes": "tier=cache",
            "chosen": "{uid}/{namespace}/paint",
            "namespace": "{namespace}",
            "~confirm": "1",
        },
    ),
    Case(
        name="bulk-annotate",
        make=(MAP,),
        look=MAPS,
        page="/resources/core/v1/configmaps/bulk/",
        sent={
            "action": "annotate",
            "changes": "note=it's mine",
            "chosen": "{uid}/{namespace}/paint",
            "namespace": "{namespace}",
        },
        pressed={
            "action": "annotate",
            "changes": "note=it's mine",
            "chosen": "{uid}/{namespace}/paint",
            "namespace": "{namespace}",
            "~confirm": "1",
        },
    ),
    Case(
        name="bulk-delete",
        make=(MAP,),
        look=MAPS,
        page="/resources/core/v1/configmaps/bulk/",
        sent={"action": "delete", "chosen": "{uid}/{namespace}/paint", "namespace": "{namespace}"},
        pressed={"action": "delete", "chosen": "{uid}/{namespace}/paint", "namespace": "{namespace}", "~confirm": "1"},
    ),
    Case(
        name="group-new",
        make=(),
        look=GROUP,
        page="/operators/{namespace}/groups/+/",
        sent={"name": "mine", "scope": "own", "try": "1"},
        pressed={"name": "mine", "scope": "own", "save": "1"},
    ),
    Case(
        name="group-edit",
        make=(OWN,),
        look=GROUP,
        page="/operators/{namespace}/groups/mine/",
        sent={"scope": "all", "version": "{version}", "try": "1"},
        pressed={"scope": "all", "version": "{version}", "save": "1"},
    ),
    Case(
        name="group-delete",
        make=(OWN,),
        look=GROUP,
        page="/operators/{namespace}/groups/mine/delete/",
        pressed={"uid": "{uid}"},
    ),
    Case(
        name="subscription-edit",
        make=(SUB,),
        look=SUBSCRIPTION,
        page="/operators/{namespace}/subscriptions/db/edit/",
        sent=CHANGED | {"try": "1"},
        pressed=CHANGED | {"save": "1"},
    ),
    Case(
        name="subscription-remove",
        make=(SUB,),
        look=SUBSCRIPTION,
        page="/operators/{namespace}/subscriptions/db/remove/",
        pressed={"uid": "{uid}"},
    ),
    Case(
        name="catalog-new",
        make=(),
        look=SOURCE,
        page="/operatorhub/catalogs/new/",
        sent=NEW_CATALOG | {"try": "1"},
        pressed=NEW_CATALOG | {"save": "1"},
    ),
    Case(
        name="catalog-delete",
        make=(CATALOG,),
        look=SOURCE,
        page="/operatorhub/catalogs/source/{namespace}/ours/delete/",
        pressed={"uid": "{uid}"},
    ),
    Case(
        name="install",
        make=(OWN,),
        look=SUBSCRIPTION,
        page="/operatorhub/olm/samples-catalog/flightticket/install/",
        sent=INSTALL | {"dry_run": "1"},
        pressed=INSTALL,
    ),
]


@pytest.fixture
def namespaces(client: ClusterClient) -> Iterator[tuple[str, str]]:
    """The button's, and kubectl's."""
    names = tuple(f"{side}-{uuid4().hex[:6]}" for side in ("button", "kubectl"))
    type_ = client.find("", "v1", "namespaces")
    for name in names:
        client.create(type_, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    yield names[0], names[1]
    for name in names:
        client.delete(type_, name)


def type_of(client: ClusterClient, kind: tuple[str, str]) -> ResourceType:
    """OLM's OperatorGroups are meant in v1, all other kinds in the version that the cluster prefers."""
    return client.find(kind[0], "", kind[1]) if kind[0] != olm.GROUP else olm.type_of(client, kind[1])


def filled(value: Any, facts: dict[str, str]) -> Any:
    """With the facts of one of the two namespaces in the place of `{name}`."""
    if isinstance(value, dict):
        return {key: filled(part, facts) for key, part in value.items()}
    if isinstance(value, list):
        return [filled(part, facts) for part in value]
    for key, fact in facts.items():
        value = value.replace(f"{{{key}}}", fact) if isinstance(value, str) else value
    return value


def prepared(client: ClusterClient, case: Case, namespace: str) -> dict[str, str]:
    facts = {"namespace": namespace, "uid": "", "version": ""}
    for kind, obj in reversed(case.make):
        type_ = type_of(client, kind)
        made = client.create(
            type_, {"apiVersion": type_.api_version, "kind": type_.kind, **filled(obj, facts)}, namespace
        )
        if case.deleted:
            client.delete(type_, made["metadata"]["name"], namespace)
        facts |= {"uid": made["metadata"]["uid"], f"uid of {made['metadata']['name']}": made["metadata"]["uid"]}
    return facts


def with_version(client: ClusterClient, case: Case, facts: dict[str, str]) -> dict[str, str]:
    """As the page would say it: a controller may have written meanwhile."""
    for kind, obj in case.make[:1]:
        found = client.get(type_of(client, kind), obj["metadata"]["name"], facts["namespace"])
        facts = facts | {"version": olm.spec_version(found)}
    return facts


def seen(client: ClusterClient, kind: tuple[str, str], namespace: str) -> list[Any]:
    """What people wrote of the objects of a kind; without what the cluster gives to each."""
    found = []
    for obj in client.list(type_of(client, kind), namespace).items:
        meta = obj["metadata"]
        if meta["name"] == "kube-root-ca.crt" or (kind == PODS and meta.get("deletionTimestamp")):
            continue
        owners = [
            (reference["kind"], reference["name"], reference.get("controller"))
            for reference in meta.get("ownerReferences", ())
        ]
        notes = {
            key: value
            for key, value in meta.get("annotations", {}).items()
            if "last-applied" not in key and not key.startswith(("deployment.", "olm."))
        }
        labels = {key: value for key, value in meta.get("labels", {}).items() if not key.startswith("operators.")}
        spec = {
            key: value
            for key, value in obj.get("spec", {}).items()
            if kind != JOBS or key not in ("selector", "template")
        }
        text = json.dumps(
            [meta["name"], labels, notes, meta.get("finalizers"), owners, obj.get("data"), spec], sort_keys=True
        )
        found.append(_CHANGING.sub("…", text.replace(namespace, "NAMESPACE")))
    return sorted(found)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_kubectl_does_what_the_button_does(
    client: ClusterClient, namespaces: tuple[str, str], kubectl: Kubectl, case: Case
) -> None:
    """H3: the copied block does exactly what the button does."""
    web = Client()
    by_button, by_kubectl = (prepared(client, case, namespace) for namespace in namespaces)
    before = seen(client, case.look, namespaces[0])

    by_kubectl = with_version(client, case, by_kubectl)
    page = filled(case.page, by_kubectl)
    shown = web.get(page) if case.sent is None else web.post(page, filled(case.sent, by_kubectl))
    block = block_of(shown, case.pressed.values())
    for placeholder, typed in case.typed:
        assert placeholder in block
        block = block.replace(placeholder, typed)
    kubectl(block)
    by_button = with_version(client, case, by_button)
    pressed = web.post(filled(case.page, by_button), filled(case.pressed, by_button))
    assert pressed.status_code < 400, pressed.content.decode()[-3000:]

    with contextlib.suppress(AssertionError):
        # A garbage collector stands still while it learns of a CRD that came or went, up to 30 seconds.
        until(lambda: seen(client, case.look, namespaces[0]) == seen(client, case.look, namespaces[1]), seconds=60)
    assert seen(client, case.look, namespaces[0]) == seen(client, case.look, namespaces[1])
    assert seen(client, case.look, namespaces[1]) != before


def test_each_way_a_node_is_cordoned(client: ClusterClient, kubectl: Kubectl) -> None:
    """H3: the node's page says the command for what its button would do now."""
    type_ = client.find("", "v1", "nodes")
    name = client.list(type_).items[0]["metadata"]["name"]
    here = f"/resources/core/v1/nodes/-/{name}/"
    try:
        for closed in (True, False):
            kubectl(block_of(Client().get(here), of="kubectl (un)?cordon "))
            assert client.get(type_, name)["spec"].get("unschedulable", False) is closed
    finally:
        client.patch(type_, name, {"spec": {"unschedulable": None}})


def test_a_rollback(client: ClusterClient, namespaces: tuple[str, str], kubectl: Kubectl) -> None:
    """H3: to the revision before the last."""
    case = Case(name="rollback", make=(DEPLOYMENT,), look=DEPLOYMENTS, page="", pressed={})
    type_ = client.find(*DEPLOYMENTS[:1], "", DEPLOYMENTS[1])
    image = {"spec": {"template": {"spec": {"containers": [{"name": "web", "image": "example.com/web:2"}]}}}}
    for namespace in namespaces:
        prepared(client, case, namespace)
        until(lambda at=namespace: revision(client, at) == "1")
        client.patch(type_, "web", image, namespace, style="strategic")
        until(lambda at=namespace: revision(client, at) == "2")
    web = Client()
    here = [f"/resources/apps/v1/deployments/{namespace}/web/rollback/?revision=1" for namespace in namespaces]
    kubectl(block_of(web.get(here[1])))
    shown = web.get(here[0]).content.decode()
    sent = dict(re.findall(r'<input type="hidden" name="(generation|revision)" value="([^"]*)"', shown))
    assert web.post(here[0], sent).status_code == 302
    until(lambda: [revision(client, namespace) for namespace in namespaces] == ["3", "3"])
    (button,), (by_kubectl,) = (seen(client, DEPLOYMENTS, namespace) for namespace in namespaces)
    assert button == by_kubectl
    assert "example.com/web:1" in button


def revision(client: ClusterClient, namespace: str) -> str:
    found = client.get(client.find(*DEPLOYMENTS[:1], "", DEPLOYMENTS[1]), "web", namespace)
    return str(found["metadata"].get("annotations", {}).get("deployment.kubernetes.io/revision"))


@pytest.mark.parametrize("way", ["create", "apply"])
def test_an_import(
    way: str, client: ClusterClient, namespaces: tuple[str, str], kubectl: Kubectl, tmp_path: Path
) -> None:
    """H3: of the file that the command names; the initial page, then with the user's selections."""
    objects = "---\n".join(
        f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}{more}}}\ndata: {{a: b}}\n"
        for name, more in (("one", ", namespace: NAMESPACE"), ("two", ""))
    )
    (tmp_path / "objects.yaml").write_text(objects.replace("NAMESPACE", namespaces[1]))
    web, ticked = Client(), {"apply": "1"} if way == "apply" else {}
    sent = {"text": objects.replace("NAMESPACE", namespaces[0]), "namespace": namespaces[0]} | ticked
    block = block_of(web.get("/resources/import/"), ticked.values(), typed={"namespace": namespaces[1]})
    kubectl(block, folder=tmp_path)
    assert web.post("/resources/import/", sent | {"~send": "1"}).status_code < 400
    assert seen(client, MAPS, namespaces[0]) == seen(client, MAPS, namespaces[1])
    assert len(seen(client, MAPS, namespaces[1])) == 2
    # A second time: what is there already is refused, or left as it is, by both.
    again = web.post("/resources/import/", sent | {"~send": "1"}).content.decode()
    assert ("AlreadyExists" in again or "already exists" in again) is (way == "create")
    if way == "apply":
        kubectl(block, folder=tmp_path)
    else:
        with pytest.raises(AssertionError, match="already exists"):
            kubectl(block, folder=tmp_path)


def test_an_imports_block_without_a_script(namespaces: tuple[str, str]) -> None:
    """H3: a page that is rendered again has the command for what was sent, with a note on kubectl's default."""
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n"
    for sent, command in (
        ({"apply": "1", "namespace": namespaces[0]}, f"kubectl apply --server-side -f objects.yaml -n {namespaces[0]}"),
        ({"namespace": ""}, "kubectl create -f objects.yaml"),
    ):
        page = Client().post("/resources/import/", {"text": text, "~check": "1"} | sent).content.decode()
        assert f'data-copy="{command}"' in page
        assert "kubectl refuses objects in another namespace" in page


def test_kubectl_refuses_what_an_imports_page_says_that_it_refuses(
    client: ClusterClient, namespaces: tuple[str, str], kubectl: Kubectl, tmp_path: Path
) -> None:
    """H3: an object of another namespace is the one thing that the button does and the command doesn't."""
    other = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: one, namespace: {namespaces[0]}}}\n"
    (tmp_path / "objects.yaml").write_text(other)
    block = block_of(Client().get("/resources/import/"), ["1"], typed={"namespace": namespaces[1]})
    with pytest.raises(AssertionError, match="does not match the namespace"):
        kubectl(block, folder=tmp_path)
    assert seen(client, MAPS, namespaces[0]) == seen(client, MAPS, namespaces[1]) == []


@pytest.mark.parametrize(
    ("kind", "typed"),
    [("User", {"name": "jo@example.com"}), ("Group", {"name": "it's ours"}), ("ServiceAccount", {"name": "ci"})],
)
def test_access_is_given_and_taken_away(
    client: ClusterClient, namespaces: tuple[str, str], kubectl: Kubectl, kind: str, typed: dict[str, str]
) -> None:
    """H3: the binding of the form, and its removal."""
    web, bindings = Client(), client.find("rbac.authorization.k8s.io", "v1", "rolebindings")

    def access(namespace: str) -> str:
        return f"/resources/core/v1/namespaces/-/{namespace}/access/"

    def given(namespace: str) -> list[Any]:
        return [
            (obj["metadata"]["name"], obj["roleRef"], [{**subject, "namespace": "-"} for subject in obj["subjects"]])
            for obj in client.list(bindings, namespace).items
        ]

    chosen = {"kind": kind, "choice": "edit"}
    homes = [{"account-namespace": name} if kind == "ServiceAccount" else {} for name in namespaces]
    assert web.post(f"{access(namespaces[0])}give/", {**chosen, **typed, **homes[0]}).status_code == 302
    page = web.get(f"{access(namespaces[1])}give/")
    kubectl(block_of(page, chosen.values(), typed={**typed, **homes[1]}))
    assert given(namespaces[0]) == given(namespaces[1]) != []
    asked = urlencode({**chosen, **typed, "binding": given(namespaces[1])[0][0]})
    kubectl(block_of(web.get(f"{access(namespaces[1])}remove/?{asked}")))
    assert not given(namespaces[1])


def test_each_block_has_a_test_that_runs_it() -> None:
    """H3: a new block comes with the name of its test."""
    there = {
        str(path.relative_to(ROOT / "templates"))
        for path in (ROOT / "templates").rglob("*.html")
        if "{% kubectl " in path.read_text()
    }
    assert there == set(TEMPLATES)
    for template, name in TEMPLATES.items():
        path, _, test = name.partition("::")
        assert f"def {test}(" in (ROOT / path).read_text(), template
