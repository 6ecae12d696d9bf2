"""The life cycle of real operators through the console's pages, without JavaScript: find, install, approve, update,
remove.

The real packages lie beside the checkout. OLM takes its own time and its own order, above all the real one: every step
waits for what it shows, for as long as a slow machine needs.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from console.web.clusters import console_client
from kube.client import ClusterClient
from kube.config import load
from kube.errors import KubeError, NotFound
from operatorhub import olm, runs
from operatorhub.indexing import index
from operatorhub.models import Run
from operatorhub.removing import removal
from tests import processes
from tests.conftest import ROOT
from tests.environment import FOLDER
from tests.eventually import until
from tests.operatorhub.conftest import ready
from tests.operatorhub.person import Person

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(600)]
#: A namespaced operator whose versions are updated one by one, and one for the whole cluster.
STEPWISE, EVERYWHERE = "hawtio-operator", "snapscheduler"
V1, V2, V3 = (f"{STEPWISE}.v1.{version}" for version in ("1.0", "1.1", "2.0"))
SLOW = 180


@pytest.fixture(scope="module")
def cluster(request: pytest.FixtureRequest, real_catalog: Path) -> Iterator[ClusterClient]:
    """A sandbox with those two packages and our own; or the cluster of --kubeconfig, when its catalogs have them."""
    if request.config.getoption("--kubeconfig"):
        request.getfixturevalue("cluster_kubeconfig")
        found = console_client()
        _needs(found, STEPWISE, EVERYWHERE)
        yield found
        return
    few = FOLDER / "few"
    few.mkdir()
    for name in (STEPWISE, EVERYWHERE):
        (few / name).symlink_to(real_catalog / name, target_is_directory=True)
    with processes.sandbox(FOLDER / "lifecycle", ROOT / "examples" / "operators" / "packages", few):
        found = ClusterClient(load(str(FOLDER / "lifecycle" / "kubeconfig"), None))
        until(lambda: olm.served(found) or found.forget_types())
        until(lambda: ready(found, 2))
        yield found


def _needs(client: ClusterClient, *names: str) -> None:
    type_ = client.find("packages.operators.coreos.com", "v1", "packagemanifests")
    for name in names:
        if not client.list(type_, fields=f"metadata.name={name}").items:
            pytest.skip(f"needs a cluster whose catalogs have {name}, a real package")


@pytest.fixture
def person(cluster: ClusterClient, monkeypatch: pytest.MonkeyPatch) -> Person:
    monkeypatch.setattr("console.web.request.console_client", lambda: cluster)
    index.build(cluster)
    return Person()


@pytest.fixture
def place(cluster: ClusterClient) -> Iterator[str]:
    """The name of a namespace that is not there yet. It goes afterwards, with the operators in it."""
    name = f"life-{uuid4().hex[:6]}"
    yield name
    for plural in (olm.SUBSCRIPTIONS, olm.CSVS):
        type_ = olm.type_of(cluster, plural)
        for item in cluster.list(type_, name).items:
            cluster.delete(type_, item["metadata"]["name"], name)
    try:
        cluster.delete(cluster.find("", "v1", "namespaces"), name)
    except KubeError:
        return


def package_page(client: ClusterClient, name: str) -> str:
    """Where the package is, whatever its catalog is called on this cluster."""
    type_ = client.find("packages.operators.coreos.com", "v1", "packagemanifests")
    status = client.list(type_, fields=f"metadata.name={name}").items[0]["status"]
    return f"/operatorhub/{status['catalogSourceNamespace']}/{status['catalogSource']}/{name}/"


def csv_phase(client: ClusterClient, name: str, namespace: str) -> str:
    try:
        return olm.phase(client.get(olm.type_of(client, olm.CSVS), name, namespace))
    except NotFound:
        return "gone"


def subscription(client: ClusterClient, name: str, namespace: str) -> olm.Subscription:
    return olm.subscription(client.get(olm.type_of(client, olm.SUBSCRIPTIONS), name, namespace))


def state(page: Person) -> str:
    """What the progress page says of the whole."""
    title = page.element("progress-title")
    return title.attributes.get("data-state", "") if title else ""


def is_state(*wanted: str) -> Callable[[Person], bool]:
    return lambda page: state(page) in wanted


def waiting_plan(client: ClusterClient, package: str, namespace: str, csv: str) -> str:
    """The InstallPlan for this version, as soon as it waits for its approval."""

    def plan_name() -> str:
        sub = subscription(client, package, namespace)
        return sub.plan if sub.waits and sub.current_csv == csv else ""

    return str(until(plan_name))


def settled(client: ClusterClient, package: str, namespace: str) -> str:
    """The installed version, as soon as OLM itself knows that its plan is complete: until then the real one may
    carry the plan out once more.
    """

    def installed_version() -> str:
        sub = subscription(client, package, namespace)
        pending = any(condition.type == "InstallPlanPending" for condition in sub.conditions)
        return sub.installed_csv if sub.state == "AtLatestKnown" and not pending else ""

    return str(until(installed_version))


def uninstall(client: ClusterClient, person: Person) -> None:
    """Presses the button, then does what the worker does, and reads on the page that it went well."""
    person.press("Uninstall")
    key = person.url.rstrip("/").rpartition("/")[2]
    runs.work(lambda _run: client, key, removal.advance)
    assert Run.objects.get(key=key).state == "done", person.open(person.url).words


def test_an_operator_of_one_namespace_from_its_first_version_to_its_end(
    cluster: ClusterClient, person: Person, place: str
) -> None:
    found = person.open("/operatorhub/", q="hawtio")
    assert "Hawtio" in found.words
    form = person.open(
        f"{package_page(cluster, STEPWISE)}install/", channel="stable-v1", version=V1, mode="OwnNamespace"
    )
    assert form.status == 200
    person.press("Dry run", install_namespace="+", new_namespace=place, approval="Manual")
    assert person.status == 200
    with pytest.raises(NotFound):
        cluster.get(cluster.find("", "v1", "namespaces"), place)
    person.press("Install", install_namespace="+", new_namespace=place, approval="Manual")
    assert person.url.endswith(f"/operators/{place}/subscriptions/{STEPWISE}/"), person.words

    # Nothing comes before it is approved; then exactly the version that was asked for.
    progress = person.url
    person.until(progress, is_state("asks"), SLOW)
    person.press("Approve")
    person.until(
        progress, lambda page: csv_phase(cluster, V1, place) == "Succeeded" and state(page) in ("done", "asks"), SLOW
    )

    _approved_update(cluster, person, place)
    _automatic_update(cluster, person, place)
    _uninstalled(cluster, person, place)


def _approved_update(cluster: ClusterClient, person: Person, place: str) -> None:
    """The next version waits; its page says what it changes; approved, it takes the place of the first."""
    plan = waiting_plan(cluster, STEPWISE, place, V2)
    assert "1.1.0" in person.open("/operators/", namespace=place).words
    shown = person.open(f"/operators/{place}/installplans/{plan}/")
    assert V2 in shown.words
    changes = person.open(f"/operators/{place}/installplans/{plan}/", part="changes")
    assert "1.1.1" in changes.words
    person.open(f"/operators/{place}/installplans/{plan}/")
    person.press("Approve")
    until(lambda: csv_phase(cluster, V2, place) == "Succeeded")
    until(lambda: csv_phase(cluster, V1, place) == "gone")


def _automatic_update(cluster: ClusterClient, person: Person, place: str) -> None:
    """A pending plan still needs approval; later ones are automatic."""
    plan = waiting_plan(cluster, STEPWISE, place, V3)
    edit = person.open(f"/operators/{place}/subscriptions/{STEPWISE}/edit/")
    assert edit.status == 200
    person.press("Save", approval="Automatic")
    until(lambda: subscription(cluster, STEPWISE, place).approval == "Automatic")
    person.open(f"/operators/{place}/installplans/{plan}/")
    if person.button("Approve"):
        person.press("Approve")
    until(lambda: csv_phase(cluster, V3, place) == "Succeeded")
    assert settled(cluster, STEPWISE, place) == V3


def _uninstalled(cluster: ClusterClient, person: Person, place: str) -> None:
    """Subscription and version go, with what OLM made for them; the kind stays."""
    preview = person.open(f"/operators/{place}/{V3}/uninstall/")
    assert "hawtios.hawt.io" in preview.words or "Hawtio" in preview.words
    uninstall(cluster, person)
    assert csv_phase(cluster, V3, place) == "gone"
    with pytest.raises(NotFound):
        subscription(cluster, STEPWISE, place)
    deployments = cluster.find("apps", "v1", "deployments")
    until(lambda: not cluster.list(deployments, place).items)
    crds = cluster.find("apiextensions.k8s.io", "v1", "customresourcedefinitions")
    assert cluster.get(crds, "hawtios.hawt.io")


def test_an_operator_for_the_whole_cluster(cluster: ClusterClient, person: Person, place: str) -> None:
    """Automatic approval from an old version: OLM updates to the newest; the operator is listed in every namespace."""
    person.open(f"{package_page(cluster, EVERYWHERE)}install/", mode="AllNamespaces")
    person.press("Install", install_namespace="+", new_namespace=place)
    assert person.url.endswith(f"/operators/{place}/subscriptions/{EVERYWHERE}/"), person.words
    person.until(person.url, is_state("done"), SLOW)
    csv = settled(cluster, EVERYWHERE, place)
    assert csv.startswith(f"{EVERYWHERE}.v")
    rows = person.open("/operators/").words
    assert rows.count(csv) <= rows.count("Snapscheduler") + rows.count("SnapScheduler") + 1
    person.open(f"/operators/{place}/{csv}/uninstall/")
    uninstall(cluster, person)
    assert csv_phase(cluster, csv, place) == "gone"


def test_an_update_that_instances_do_not_fit_is_told_before_and_refused(
    cluster: ClusterClient, person: Person, place: str
) -> None:
    """Our FlightTicket 2.0.0 takes fewer seats: the plan's page names the ticket beforehand, OLM refuses the plan,
    and says so.
    """
    _needs(cluster, "flightticket")
    person.open(f"{package_page(cluster, 'flightticket')}install/", channel="stable", mode="OwnNamespace")
    person.press("Install", install_namespace="+", new_namespace=place, approval="Manual")
    progress = person.url
    person.until(progress, is_state("asks"), SLOW)
    person.press("Approve")
    until(lambda: csv_phase(cluster, "flightticket-operator.v1.1.0", place) == "Succeeded")
    cluster.forget_types()
    tickets = cluster.find("flights.com", "v1", "flighttickets")
    big: dict[str, Any] = {
        "apiVersion": "flights.com/v1",
        "kind": "FlightTicket",
        "metadata": {"name": "big"},
        "spec": {"from": "Seoul", "to": "Lisbon", "number": 10},
    }
    cluster.create(tickets, big, place)
    person.open(f"/operators/{place}/subscriptions/flightticket/edit/")
    person.press("Save", channel="candidate")
    plan = waiting_plan(cluster, "flightticket", place, "flightticket-operator.v2.0.0")
    url = f"/operators/{place}/installplans/{plan}/"
    checked = person.open(url, part="check").words
    assert "big" in checked and "should be less than or equal to 9" in checked
    changed = person.open(url, part="changes").words
    assert "Secrets" in changed
    person.open(url)
    person.press("Approve")

    def refused() -> bool:
        message = str(cluster.get(olm.type_of(cluster, olm.PLANS), plan, place)["status"].get("message"))
        return "updated validation is too restrictive" in message

    until(refused)
    page = person.open(progress)
    assert "should be less than or equal to 9" in page.words
    cluster.delete(tickets, "big", place)


def test_what_an_operator_needs_comes_in_the_same_plan(cluster: ClusterClient, person: Person, place: str) -> None:
    """FlightTicket 2.1.0 needs the kind Memcached: the approval page shows both before anything is created."""
    _needs(cluster, "flightticket")
    person.open(f"{package_page(cluster, 'flightticket')}install/", channel="preview", mode="OwnNamespace")
    person.press("Install", install_namespace="+", new_namespace=place, approval="Manual")
    person.until(person.url, is_state("asks"), SLOW)
    assert "flightticket-operator.v2.1.0" in person.words and "memcached-operator.v0.1.0" in person.words
    assert csv_phase(cluster, "memcached-operator.v0.1.0", place) == "gone"
    plan = cluster.get(olm.type_of(cluster, olm.PLANS), subscription(cluster, "flightticket", place).plan, place)
    assert sorted(plan["spec"]["clusterServiceVersionNames"]) == [
        "flightticket-operator.v2.1.0",
        "memcached-operator.v0.1.0",
    ]
