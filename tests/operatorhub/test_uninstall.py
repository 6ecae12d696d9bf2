"""Uninstalling: the preview, the order, refusals, stuck objects, and recovery after all processes died."""

import contextlib
import itertools
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from console.web.clusters import console_client
from kube.client import ClusterClient
from kube.errors import AlreadyExists, Forbidden, ServerError
from operatorhub import olm, runs
from operatorhub.models import Run
from operatorhub.removing import removal, removal_page, uninstall
from tests.eventually import until
from tests.operatorhub import operators
from tests.operatorhub.blocks import block_of
from tests.operatorhub.operators import FLIGHTS, V11
from tests.operatorhub.test_pages import text

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(300)]


@pytest.fixture
def namespace(client: ClusterClient) -> Iterator[str]:
    with operators.place(client, "hub-uninstall") as name:
        operators.subscribe(client, name)
        operators.succeeded(client, name, V11)
        yield name


@pytest.fixture(scope="class")
def reference_namespace(cluster_kubeconfig: Any) -> Iterator[str]:
    """A namespace with an operator and an instance that tests only read."""
    client = console_client()
    until(lambda: olm.served(client) or client.forget_types())
    with operators.place(client, "hub-uninstall-kept") as name:
        operators.subscribe(client, name)
        operators.succeeded(client, name, V11)
        operators.ticket(client, name, "kept")
        yield name


def form(page: str) -> dict[str, Any]:
    """What the page would post with everything ticked."""
    found: dict[str, Any] = dict(re.findall(r'name="(csv_uid|subscription_uid)" value="([^"]+)"', page))
    ticks = re.findall(r'<input\s+type="checkbox"\s+name="(\w+)"\s+value="([^"]+)"\s+id="[^"]+"\s*>', page)
    for name, value in ticks:
        found.setdefault(name, []).append(value)
    return found


def finished(web: Client, url: str) -> str:
    """Press "Try again", as without a worker, until the uninstall has ended.

    A real garbage collector learns of a new kind within half a minute only.
    """

    def final_page() -> str:
        page = web.get(url).content.decode()
        if 'data-state="running"' in page.split("<h1", 1)[0]:
            web.post(url)
            return ""
        return page

    return str(until(final_page, seconds=100))


class TestLookedAtOnly:
    def test_kubectl_deletes_what_the_button_deletes(self, client: ClusterClient, reference_namespace: str) -> None:
        """H3: the commands follow the ticks; they deleted instances, kind, group and namespace with nothing ticked."""
        plan = uninstall.read_plan(client, reference_namespace, V11)
        page = Client().get(f"/operators/{reference_namespace}/{V11}/uninstall/")
        offered = {left.stage: left.key for left in plan.leftovers if left.offered}
        for kinds, ticked in (
            ([], []),
            ([FLIGHTS], []),
            ([], [offered["crd"]]),
            ([FLIGHTS], [offered["crd"]]),
            ([], [offered["last"]]),
            ([FLIGHTS], [left.key for left in plan.leftovers if left.offered]),
        ):
            document = removal.document(client, plan, kinds, ticked)
            by_button = {
                f"{item['plural']}.{item['group']} {'--all' if item['stage'] == 'operands' else item['name']}".replace(
                    ". ", " "
                )
                for stage in removal.STAGES
                for item in document["items"]
                if item["stage"] == stage
            }
            lines = block_of(page, [*kinds, *ticked]).splitlines()
            by_kubectl = {
                line.removeprefix("kubectl delete ").removesuffix(" --ignore-not-found").partition(" -n ")[0]
                for line in lines
            }
            assert by_kubectl == by_button

    def test_what_the_author_says_is_honoured(self, client: ClusterClient, reference_namespace: str) -> None:
        notes = {uninstall.NO_OPERANDS: "true", uninstall.MESSAGE: "Say goodbye to the airline first."}
        client.patch(olm.type_of(client, olm.CSVS), V11, {"metadata": {"annotations": notes}}, reference_namespace)
        web, here = Client(), f"/operators/{reference_namespace}/{V11}/uninstall/"
        page = web.get(here).content.decode()
        assert "Say goodbye to the airline first." in page
        assert "doesn't want instances to be deleted" in page
        assert "instances" not in form(page)

    def test_a_neighbour_keeps_what_is_shared(self, client: ClusterClient, reference_namespace: str) -> None:
        csv = client.get(olm.type_of(client, olm.CSVS), V11, reference_namespace)
        spec = {**csv["spec"], "replaces": None, "displayName": "Neighbour"}
        operators.make(client, olm.GROUP, "ClusterServiceVersion", "neighbour.v1", reference_namespace, spec=spec)
        plan = uninstall.read_plan(client, reference_namespace, V11)
        assert plan.others == ((FLIGHTS, (f"{reference_namespace}/neighbour.v1",)),)
        assert plan.operands == ()
        assert {leftover.kind: leftover.offered for leftover in plan.leftovers} == {
            "CustomResourceDefinition": False,
            "OperatorGroup": False,
            "Namespace": False,
        }

    def test_runs_are_of_those_who_began_them(self, client: ClusterClient, reference_namespace: str) -> None:
        plan = uninstall.read_plan(client, reference_namespace, V11)
        run = runs.create("x", removal.KIND, client, reference_namespace, V11, removal.document(client, plan, [], []))
        Run.objects.filter(key=run.key).update(user="another user")
        assert Client().get(f"/operators/-/removals/{run.key}/").status_code == 404


def test_everything_goes_instances_first(client: ClusterClient, namespace: str) -> None:
    for number in range(3):
        operators.ticket(client, namespace, f"t{number}")
    operators.make(
        client, "", "ConfigMap", "left", namespace, metadata={"labels": {"app.kubernetes.io/instance": "t1"}}
    )
    web, here = Client(), f"/operators/{namespace}/{V11}/uninstall/"
    page = web.get(here).content.decode()
    words = text(web.get(here))
    assert "3 instances of FlightTicket" in words
    assert "ConfigMap left" in words
    post = form(page)
    assert post["instances"] == [FLIGHTS]
    assert [item.split("|")[1] for item in post["leftover"]] == [
        "CustomResourceDefinition",
        "ConfigMap",
        "OperatorGroup",
        "Namespace",
    ]
    begun = web.post(here, post)
    assert begun.status_code == 302
    page = finished(web, begun["Location"])
    assert "FlightTicket is uninstalled" in page
    run = Run.objects.get()
    order = [item["asked"] for stage in removal.STAGES for item in run.document["items"] if item["stage"] == stage]
    assert all(earlier <= later + 1 for earlier, later in itertools.pairwise(order))
    assert {item["state"] for item in run.document["items"]} == {"gone"}
    assert operators.gone(client, client.find("", "v1", "namespaces"), namespace)
    assert operators.gone(client, client.find("apiextensions.k8s.io", "", "customresourcedefinitions"), FLIGHTS)
    operators.make(client, "", "Namespace", namespace)


def test_what_olm_makes_anew_goes_too(client: ClusterClient, namespace: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """OLM carries out a plan that it has just completed once more; the real one does, within a second."""
    # On a busy machine the operator may take longer to run than its CSV counts as young.
    monkeypatch.setattr(removal, "_YOUNG_SECONDS", 600.0)
    csvs = olm.type_of(client, olm.CSVS)
    before = client.get(csvs, V11, namespace)
    plan = uninstall.read_plan(client, namespace, V11)
    run = runs.create("again", removal.KIND, client, namespace, V11, removal.document(client, plan, (), ()))
    while not any(item["stage"] == "csv" and item["state"] == removal.GOING for item in run.document["items"]):
        removal.advance(client, run, 0.05)
    until(lambda: operators.gone(client, csvs, V11, namespace))
    again = {key: before[key] for key in ("apiVersion", "kind", "spec")}
    with contextlib.suppress(AlreadyExists):  # the real one was quicker
        client.create(csvs, again | {"metadata": {"name": V11}}, namespace)
    removal.advance(client, run, 60)
    assert run.state == "done"
    assert operators.gone(client, csvs, V11, namespace)
    item = next(entry for entry in run.document["items"] if entry["stage"] == "csv")
    assert item["uid"] != before["metadata"]["uid"]


def test_without_a_tick_everything_stays(client: ClusterClient, namespace: str) -> None:
    operators.ticket(client, namespace, "kept")
    web, here = Client(), f"/operators/{namespace}/{V11}/uninstall/"
    uids = {key: value for key, value in form(web.get(here).content.decode()).items() if key.endswith("_uid")}
    page = finished(web, web.post(here, uids)["Location"])
    assert "is uninstalled" in page
    assert client.get(client.find("flights.com", "v1", "flighttickets"), "kept", namespace)
    assert operators.gone(client, olm.type_of(client, olm.CSVS), V11, namespace)


def test_namesakes_are_not_touched(client: ClusterClient, namespace: str) -> None:
    web, here = Client(), f"/operators/{namespace}/{V11}/uninstall/"
    uids = form(web.get(here).content.decode())
    page = finished(web, web.post(here, {"csv_uid": uids["csv_uid"], "subscription_uid": "another"})["Location"])
    assert "Not deleted: another object with the same name has been created since" in page
    assert operators.sub_of(client, namespace).name == "flightticket"


def test_a_stuck_finalizer_is_explained_and_a_way_out_offered(
    client: ClusterClient, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    operators.ticket(client, namespace, "stuck", finalizers=["flights.com/cleanup"])
    web, here = Client(), f"/operators/{namespace}/{V11}/uninstall/"
    page = web.get(here).content.decode()
    assert "finalizers: flights.com/cleanup" in re.sub(r"\s+", " ", page)
    post = {key: value for key, value in form(page).items() if key != "leftover"}
    monkeypatch.setattr(removal_page, "SLOW_SECONDS", -1)
    url = web.post(here, post)["Location"]
    web.post(url)
    words = text(web.get(url))
    assert "1 of 1 remaining" in words
    assert "flights.com/cleanup The operator removes it" in words
    assert "kubectl patch flighttickets.flights.com stuck" in words
    assert "Deployment flightticket-operator" in words
    # The worker has died: the page says so, and a reload continues from the recorded state.
    Run.objects.update(touched_at="2020-01-01T00:00:00Z")
    assert "The console's background worker isn't processing this task" in text(web.get(url))
    with monkeypatch.context() as impatient:
        impatient.setattr(removal, "PATIENCE", -1)
        web.post(url)
    assert "Uninstall of FlightTicket is stuck" in text(web.get(url))
    web.post(url, {"anyway": "1"})
    page = finished(web, url)
    assert "is uninstalled, but some objects remain" in page
    assert operators.gone(client, olm.type_of(client, olm.CSVS), V11, namespace)


def test_a_stuck_uninstall_continues_when_what_it_waits_for_is_gone(
    client: ClusterClient, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its page is live: no button is needed after the finalizer was removed."""
    operators.ticket(client, namespace, "held", finalizers=["flights.com/cleanup", "flights.com/second"])
    web, here = Client(), f"/operators/{namespace}/{V11}/uninstall/"
    post = {key: value for key, value in form(web.get(here).content.decode()).items() if key != "leftover"}
    monkeypatch.setattr(removal_page, "SLOW_SECONDS", -1)
    url = web.post(here, post)["Location"]
    with monkeypatch.context() as impatient:
        impatient.setattr(removal, "PATIENCE", -1)
        web.post(url)
    page = web.get(url).content.decode()
    assert "Uninstall of FlightTicket is stuck" in page
    # What is still to be deleted is followed too, since the region stays when the stage changes.
    assert all(f"/{plural}/" in page for plural in ("flighttickets", "subscriptions", "clusterserviceversions"))
    tickets = client.find("flights.com", "v1", "flighttickets")
    client.patch(tickets, "held", {"metadata": {"finalizers": ["flights.com/second"]}}, namespace)
    words = text(web.get(url))
    assert "is stuck" in words
    assert "flights.com/second" in words
    assert "flights.com/cleanup" not in words
    handed: list[Run] = []
    monkeypatch.setattr(runs, "hand_over", handed.append)
    client.patch(tickets, "held", {"metadata": {"finalizers": None}}, namespace)
    until(lambda: operators.gone(client, tickets, "held", namespace))
    assert "is being uninstalled" in text(web.get(url))
    assert [run.state for run in handed] == ["running"]
    # The page itself deletes nothing: the worker does.
    assert not operators.gone(client, olm.type_of(client, olm.CSVS), V11, namespace)
    runs.work(lambda _run: client, handed[0].key, removal.advance)
    assert "FlightTicket is uninstalled" in text(web.get(url))


def test_a_task_carries_it_out(client: ClusterClient, namespace: str) -> None:
    """Instances of namespaces that the operator does not watch are not its own: they stay."""
    operators.ticket(client, namespace, "one")
    operators.ticket(client, "default", "elsewhere")
    plan = uninstall.read_plan(client, namespace, V11)
    assert [operand.number for operand in plan.operands] == [1]
    assert plan.operands[0].elsewhere >= 1
    run = runs.create("r", removal.KIND, client, namespace, V11, removal.document(client, plan, [FLIGHTS], []))
    runs.work(lambda _run: client, run.key, removal.advance)
    run.refresh_from_db()
    assert run.state == "done"
    assert [item["stage"] for item in run.document["items"]] == ["operands", "subscription", "csv"]
    client.delete(client.find("flights.com", "v1", "flighttickets"), "elsewhere", "default")


def test_instances_that_can_not_be_listed_hinder_nothing(
    client: ClusterClient, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: Any) -> list[Any]:
        raise ServerError("the list failed")

    monkeypatch.setattr(uninstall, "every", refuse)
    web, here = Client(), f"/operators/{namespace}/{V11}/uninstall/"
    words = text(web.get(here))
    assert "The instances of FlightTicket can't be loaded" in words
    assert "the list failed" in words
    monkeypatch.undo()
    uids = {key: value for key, value in form(web.get(here).content.decode()).items() if key.endswith("_uid")}
    assert "is uninstalled" in finished(web, web.post(here, uids)["Location"])


def test_an_instance_that_is_refused_keeps_its_operator(
    client: ClusterClient, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    operators.ticket(client, namespace, "guarded")
    real = ClusterClient.delete

    def delete(self: ClusterClient, type_: Any, *args: Any, **more: Any) -> Any:
        if type_.plural == "flighttickets":
            raise Forbidden("flighttickets may not be deleted by you")
        return real(self, type_, *args, **more)

    web, here = Client(), f"/operators/{namespace}/{V11}/uninstall/"
    post = {key: value for key, value in form(web.get(here).content.decode()).items() if key != "leftover"}
    with monkeypatch.context() as patched:
        patched.setattr(ClusterClient, "delete", delete)
        url = web.post(here, post)["Location"]
        page = finished(web, url)
    assert "Error deleting instances" in page
    assert "flighttickets may not be deleted by you" in page
    assert operators.sub_of(client, namespace).name == "flightticket"
    assert url in web.get(f"/operators/{namespace}/{V11}/").content.decode()
    web.post(url, {"again": "1"})
    assert "FlightTicket is uninstalled" in finished(web, url)


@pytest.mark.parametrize(
    ("finalizer", "words"),
    [
        ("foregroundDeletion", "everything that the object owns"),
        ("kubernetes.io/pvc-protection", "no Pod uses the volume"),
        ("flights.com/cleanup", "The operator removes it"),
        ("cleanup.flights.com", "The operator removes it"),
        ("other.example.org/x", "a controller of other.example.org"),
    ],
)
def test_whose_finalizer_it_is(finalizer: str, words: str) -> None:
    assert words in removal_page.whose(finalizer, {"apis": [FLIGHTS]})
