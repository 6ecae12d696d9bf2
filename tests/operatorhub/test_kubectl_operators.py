"""“The same with kubectl” of what OLM does: H3. Each block is run and compared with what the page's button does."""

import io
import re
import zipfile
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from kube import limits
from kube.client import ClusterClient
from kube.errors import NotFound
from operatorhub import olm
from operatorhub.bootstrap import apply, manifest
from operatorhub.install import created_objects
from operatorhub.models import Run
from operatorhub.removing import removal_page
from operatorhub.run import follow, removal
from tests.eventually import until
from tests.operatorhub import operators
from tests.operatorhub.blocks import Kubectl, block_of
from tests.operatorhub.test_bootstrap import RELEASE
from tests.operatorhub.test_run import packed, stranger

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(300)]
BUNDLE = "flightticket-operator.v1.0.0"


def hidden(page: Any, *names: str) -> dict[str, str]:
    """Fields of the page's form."""
    return dict(re.findall(rf'<input type="hidden" name="({"|".join(names)})" value="([^"]*)"', page.content.decode()))


def annotations(client: ClusterClient, namespace: str) -> dict[str, str]:
    (sub,) = client.list(olm.type_of(client, olm.SUBSCRIPTIONS), namespace).items
    return dict(sub["metadata"].get("annotations") or {})


def everything(client: ClusterClient, namespace: str) -> set[tuple[str, str]]:
    """What OLM has in a namespace, and the namespace."""
    found = {
        (plural, obj["metadata"]["name"])
        for plural in (olm.SUBSCRIPTIONS, olm.CSVS, "operatorgroups")
        for obj in client.list(olm.type_of(client, plural), namespace).items
        if not olm.copied(obj)
    }
    there = not operators.gone(client, client.find("", "v1", "namespaces"), namespace)
    return found | ({("namespaces", "")} if there else set())


def test_approving_a_plan(client: ClusterClient, kubectl: Kubectl) -> None:
    """H3: the plan is approved, and nothing else of it changes."""
    specs = []
    for by_button in (True, False):
        with operators.place(client, "hub-approve") as place:
            operators.subscribe(client, place, installPlanApproval="Manual", startingCSV=operators.V1)
            plan = operators.waiting_plan(client, place)
            shown = Client().get(f"/operators/{place}/installplans/{plan}/")
            if by_button:
                sent = hidden(shown, "seen")
                assert Client().post(f"/operators/{place}/installplans/{plan}/approve/", sent).status_code == 302
            else:
                kubectl(block_of(shown, of="kubectl patch installplans"))
            specs.append(client.get(olm.type_of(client, olm.PLANS), plan, place)["spec"])
    assert specs[0] == specs[1]
    assert specs[0]["approved"] is True


def test_approving_several_plans(client: ClusterClient, kubectl: Kubectl) -> None:
    """Of the operators that were selected each plan is shown once, and what waits for nothing is named."""
    for by_button in (True, False):
        with operators.place(client, "hub-first") as first, operators.place(client, "hub-second") as second:
            for place in (first, second):
                operators.subscribe(client, place, installPlanApproval="Manual", startingCSV=operators.V1)
            waiting = {place: operators.waiting_plan(client, place) for place in (first, second)}
            # The Subscription says so a moment after the plan is there.
            until(lambda first=first, second=second: all(_waits(client, place) for place in (first, second)))
            chosen = [f"{place}/flightticket/flightticket" for place in (first, second)]
            shown = Client().post("/operators/approve/", {"chosen": [*chosen, f"{first}//own.v1"]})
            page = shown.content.decode()
            assert all(f"/operators/{place}/installplans/{plan}/" in page for place, plan in waiting.items())
            assert "own.v1" in page
            if by_button:
                plans = re.findall(r'name="plan" value="([^"]+)"', page)
                assert len(plans) == 2
                answer = Client().post("/operators/approve/", {"~confirm": "", "chosen": chosen, "plan": plans})
                assert (answer.status_code, answer["Location"]) == (302, "/operators/")
            else:
                kubectl(block_of(shown))
            for place, plan in waiting.items():
                assert client.get(olm.type_of(client, olm.PLANS), plan, place)["spec"]["approved"] is True
            # A plan that isn't what was shown is refused, and says so in its place.
            stale = {"~confirm": "", "plan": [f"{first}/{waiting[first]}/0", f"{first}/none/0", "nonsense"]}
            refused = Client().post("/operators/approve/", stale)
            assert refused.status_code == 200
            answers = refused.content.decode()
            assert f"{first}/{waiting[first]}: " in answers
            assert f"{first}/none: " in answers


def test_more_plans_than_one_action_takes_are_refused() -> None:
    web = Client()
    many = {"chosen": [f"a/b/{number}" for number in range(limits.BULK_OBJECTS.value + 1)]}
    assert web.post("/operators/approve/", many)["Location"] == "/operators/"
    assert str(limits.BULK_OBJECTS.value) in web.get("/operators/").content.decode()


def _waits(client: ClusterClient, namespace: str) -> bool:
    (sub,) = client.list(olm.type_of(client, olm.SUBSCRIPTIONS), namespace).items
    return olm.subscription(sub).waits


def test_dismissing_an_update(client: ClusterClient, kubectl: Kubectl) -> None:
    """H3: the Subscription says the same afterwards."""
    found = []
    for by_button in (True, False):
        with operators.place(client, "hub-deny") as place:
            operators.subscribe(client, place, installPlanApproval="Manual", startingCSV=operators.V1)
            first = operators.waiting_plan(client, place)
            client.patch(olm.type_of(client, olm.PLANS), first, {"spec": {"approved": True}}, place)
            operators.succeeded(client, place, operators.V1)
            plan = operators.waiting_plan(client, place, operators.V11)
            here = f"/operators/{place}/installplans/{plan}/deny/"
            shown = Client().get(here)
            before = annotations(client, place)
            if by_button:
                assert Client().post(here, hidden(shown, "seen")).status_code == 302
            else:
                kubectl(block_of(shown))
            found.append(annotations(client, place))
            assert found[-1] != before
    assert found[0] == found[1]
    assert found[0][olm.DISMISSED] == operators.V11


@pytest.mark.parametrize("stays", [False, True])
def test_cancelling_an_installation(stays: bool, client: ClusterClient, kubectl: Kubectl) -> None:
    """H3: what is ticked goes, whether that is what the page ticked or not."""
    found = []
    for by_button in (True, False):
        place = f"hub-cancel-{uuid4().hex[:6]}"
        form = {
            "channel": "stable",
            "mode": "OwnNamespace",
            "namespace": "+",
            "new_namespace": place,
            "install_namespace": "+",
        }
        answer = Client().post("/operatorhub/olm/samples-catalog/flightticket/install/", form | {"approval": "Manual"})
        assert answer.status_code == 302, answer.content.decode()[-3000:]
        operators.waiting_plan(client, place)
        here = f"/operators/{place}/subscriptions/flightticket/undo/"
        shown = Client().get(here)
        ticked = [
            target.token
            for target in created_objects.find_traces(client, place, "flightticket").targets
            if not target.keeps
        ]
        ticked = ticked[:1] if stays else ticked
        if by_button:
            assert Client().post(here, {"target": ticked}).status_code == 200
        else:
            kubectl(block_of(shown, ticked))
        if not stays:
            until(lambda at=place: operators.gone(client, client.find("", "v1", "namespaces"), at))
        found.append({(kind, name.replace(place, "NAMESPACE")) for kind, name in everything(client, place)})
        operators.clean_subscriptions(client, place)
    assert found[0] == found[1]
    assert bool(found[0]) is stays


@pytest.mark.parametrize("with_instances", [False, True])
def test_uninstalling(with_instances: bool, client: ClusterClient, kubectl: Kubectl) -> None:
    """H3: with nothing ticked, and with the instances."""
    found = []
    for by_button in (True, False):
        with operators.place(client, "hub-uninstall") as place:
            operators.subscribe(client, place, installPlanApproval="Manual", startingCSV=operators.V1)
            first = operators.waiting_plan(client, place)
            client.patch(olm.type_of(client, olm.PLANS), first, {"spec": {"approved": True}}, place)
            operators.succeeded(client, place, operators.V1)
            operators.ticket(client, place, "mine")
            here = f"/operators/{place}/{operators.V1}/uninstall/"
            shown = Client().get(here)
            ticked = [operators.FLIGHTS] if with_instances else []
            if by_button:
                began = Client().post(here, hidden(shown, "csv_uid", "subscription_uid") | {"instances": ticked})
                assert began.status_code == 302, began.content.decode()[-3000:]
                until(lambda url=began["Location"]: 'data-state="done"' in moved(url))
            else:
                kubectl(block_of(shown, ticked))
            tickets = client.find("flights.com", "", "flighttickets")
            left = [item["metadata"]["name"] for item in client.list(tickets, place).items]
            found.append(({(kind, name.replace(place, "NAMESPACE")) for kind, name in everything(client, place)}, left))
    assert found[0] == found[1]
    assert found[0][1] == ([] if with_instances else ["mine"])


def moved(url: str) -> str:
    """An uninstall's page; each POST advances it, because no worker runs."""
    page = Client().get(url).content.decode()
    if 'data-state="running"' in page:
        Client().post(url)
    return page


@pytest.mark.parametrize("ticked", [("kinds",), ("operands",), ("kinds", "operands", "space"), ()])
def test_a_bundle_runs_and_goes(ticked: tuple[str, ...], client: ClusterClient, kubectl: Kubectl) -> None:
    """H3: what is applied, and what is taken away again by any ticks, with an instance there."""
    found = []
    upload = SimpleUploadedFile("flight.zip", stranger())
    given = packed(Client().post("/operatorhub/run/", {"files": upload, "~give": "1"}))
    crds = client.find("apiextensions.k8s.io", "", "customresourcedefinitions")
    with zipfile.ZipFile(io.BytesIO(stranger())) as archive:
        (crd,) = {name for name in archive.namelist() if "/crds/" in name and name.startswith("1.0.0/")}
        group = re.search(r"group: (\S+)", archive.read(crd).decode())
    assert group
    for by_button in (True, False):
        space = f"hub-run-{uuid4().hex[:6]}"
        choices = {"~given": given, "bundle": BUNDLE, "namespace": space, "mode": "OwnNamespace"}
        try:
            if by_button:
                assert Client().post("/operatorhub/run/", choices | {"~run": "1"}).status_code == 302
            else:
                kubectl(block_of(Client().post("/operatorhub/run/", choices | {"~check": "1"})))
            until(lambda at=space: follow.read(client, at, "flightticket").state == "done")
            made = labelled(client, space)
            client.forget_types()
            tickets = client.find(group[1], "", "flighttickets")
            spec = {"from": "ICN", "to": "LHR", "number": 2}
            ticket = {
                "apiVersion": tickets.api_version,
                "kind": "FlightTicket",
                "metadata": {"name": "mine"},
                "spec": spec,
            }
            client.create(tickets, ticket, space)
            here = f"/operators/{space}/runs/flightticket/remove/"
            shown = Client().get(here)
            if by_button:
                answer = Client().post(here, {name: name for name in ticked})
                assert answer.status_code == 302, answer.content.decode()[-3000:]
            else:
                kubectl(block_of(shown, ticked))
            if "space" in ticked:
                until(lambda at=space: operators.gone(client, client.find("", "v1", "namespaces"), at))
            until(lambda at=space: not {kind for kind, _name in labelled(client, at)} - {"kind", "space"})
            there = not operators.gone(client, crds, f"flighttickets.{group[1]}")
            left = [item["metadata"]["name"] for item in client.list(tickets).items] if there else []
            found.append((made, labelled(client, space), there, left))
        finally:
            rest = removal.find_objects(client, space, "flightticket")
            removal.take(client, rest, operands=True, kinds=True, space=True, done=lambda ref, outcome: None)
            until(lambda at=space: operators.gone(client, client.find("", "v1", "namespaces"), at))
            until(lambda: operators.gone(client, crds, f"flighttickets.{group[1]}"))
            client.forget_types()
    assert found[0] == found[1]


def labelled(client: ClusterClient, space: str) -> set[tuple[str, str]]:
    """What is left of a run."""
    found = removal.find_objects(client, space, "flightticket")
    names = {(target.plural, target.name) for target in found.objects}
    names |= {("kind", kind.target.name) for kind in found.kinds} | (
        {("space", found.space.name)} if found.space else set()
    )
    return {(kind, re.sub(r"-[0-9a-z]{40,}$", "", name.replace(space, "NAMESPACE"))) for kind, name in names}


@pytest.mark.parametrize("whole", [False, True])
def test_a_release_goes(whole: bool, client: ClusterClient, kubectl: Kubectl) -> None:
    """H3: of OLM's manifests only the selected objects are removed; CRDs aren't selected by default."""
    found = []
    for by_button in (True, False):
        Run.objects.all().delete()
        run = apply.begin(client, manifest.read([("release.yaml", RELEASE)]), "release.yaml")
        page = f"/operatorhub/olm/{run.key}/"
        until(lambda at=page: 'data-state="done"' in Client().post(at, {}).content.decode())
        targets = apply.removable(client, apply.find(client, run.key))
        ticked = [target.token for target in targets if whole or not target.keeps]
        shown = Client().get(f"{page}manifest/remove/")
        if by_button:
            assert Client().post(f"{page}manifest/remove/", {"target": ticked}).status_code == 200
        else:
            kubectl(block_of(shown, ticked))
        until(lambda: operators.gone(client, client.find("", "v1", "namespaces"), "hub-release"))
        found.append({target.name for target in targets if there(client, target)})
        apply.remove(client, targets, lambda ref, outcome: None)
        until(lambda all_=targets: not any(there(client, item) for item in all_))
        client.forget_types()
    assert found[0] == found[1]
    assert bool(found[0]) is not whole


def test_what_is_gone_since_is_no_error_for_either(client: ClusterClient, kubectl: Kubectl) -> None:
    """H3: an object was deleted while the page was open: the button reports it and continues, and so does kubectl."""
    reports = []
    for by_button in (True, False):
        Run.objects.all().delete()
        run = apply.begin(client, manifest.read([("release.yaml", RELEASE)]), "release.yaml")
        page = f"/operatorhub/olm/{run.key}/"
        until(lambda at=page: 'data-state="done"' in Client().post(at, {}).content.decode())
        targets = apply.removable(client, apply.find(client, run.key))
        (gone,) = (target for target in targets if target.plural == "serviceaccounts")
        shown = Client().get(f"{page}manifest/remove/")
        client.delete(client.find("", "v1", "serviceaccounts"), gone.name, gone.namespace)
        until(lambda at=gone: not there(client, at))
        ticked = [target.token for target in targets]
        if by_button:
            answer = Client().post(f"{page}manifest/remove/", {"target": ticked})
            reports.append("already deleted" in answer.content.decode())
        else:
            # It isn't offered any more by a page that comes now.
            assert gone.token not in {item.token for item in apply.removable(client, apply.find(client, run.key))}
            assert gone.kubectl not in block_of(Client().get(f"{page}manifest/remove/"), ticked)
            assert gone.kubectl in block_of(shown, ticked)
            reports.append("NotFound" not in kubectl(block_of(shown, ticked)))
        until(lambda all_=targets: not any(there(client, item) for item in all_))
        client.forget_types()
    assert reports == [True, True]


def test_another_object_of_the_same_name_is_not_offered(client: ClusterClient) -> None:
    """H3: kubectl deletes by name, so the page offers neither checkbox nor command for an object that was recreated
    under that name.
    """
    Run.objects.all().delete()
    run = apply.begin(client, manifest.read([("release.yaml", RELEASE)]), "release.yaml")
    page = f"/operatorhub/olm/{run.key}/"
    until(lambda: 'data-state="done"' in Client().post(page, {}).content.decode())
    targets = apply.removable(client, apply.find(client, run.key))
    (old,) = (target for target in targets if target.plural == "serviceaccounts")
    accounts = client.find("", "v1", "serviceaccounts")
    try:
        client.delete(accounts, old.name, old.namespace)
        until(lambda: operators.gone(client, accounts, old.name, old.namespace))
        account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": old.name}}
        client.create(accounts, account, old.namespace)
        left = {(item.plural, item.name) for item in apply.removable(client, apply.find(client, run.key))}
        assert left == {(target.plural, target.name) for target in targets} - {("serviceaccounts", old.name)}
        assert old.kubectl not in block_of(
            Client().get(f"{page}manifest/remove/"), [target.token for target in targets]
        )
    finally:
        apply.remove(client, targets, lambda ref, outcome: None)
        until(lambda: operators.gone(client, client.find("", "v1", "namespaces"), "hub-release"))
        client.forget_types()


def there(client: ClusterClient, target: Any) -> bool:
    try:
        type_ = client.find(target.group, target.version, target.plural)
    except NotFound:
        return False
    return not operators.gone(client, type_, target.name, target.namespace)


@pytest.fixture
def held(client: ClusterClient) -> Iterator[dict[str, Any]]:
    """A ConfigMap that is being deleted and that a finalizer holds, as an uninstall remembers it."""
    type_, name = client.find("", "v1", "configmaps"), f"held-{uuid4().hex[:6]}"
    meta = {"name": name, "finalizers": ["tests.example/held"]}
    client.create(type_, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta}, "default")
    client.delete(type_, name, "default")
    assert not operators.gone(client, type_, name, "default")
    yield {
        "kind": "ConfigMap",
        "group": "",
        "version": "v1",
        "plural": "configmaps",
        "namespace": "default",
        "name": name,
    }
    if not operators.gone(client, type_, name, "default"):
        client.patch(type_, name, {"metadata": {"finalizers": None}}, "default")


def test_the_last_way_out(client: ClusterClient, held: dict[str, Any], kubectl: Kubectl) -> None:
    """H3: the object is gone after the command that stands under the uninstall that waits for it."""
    item = held | {"state": removal_page.GOING, "message": "", "finalizers": ["tests.example/held"]}
    run: Any = SimpleNamespace(document={"apis": {}})
    kubectl(removal_page._stuck(run, item).command)
    assert operators.gone(client, client.find("", "v1", "configmaps"), held["name"], "default")
