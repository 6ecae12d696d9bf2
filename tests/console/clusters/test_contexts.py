"""Which contexts are offered, under which names and addresses. Nothing is asked of a cluster."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.test import RequestFactory
from django.utils import timezone

from console.pages import clusters as switcher
from console.signin import clients, rate_limits, sessions
from console.signin.models import Impersonation, Session
from console.signin.sessions import Person
from console.web import clusters, front
from console.web.clusters import Offered
from kube.errors import InvalidConfig
from operatorhub import tasks
from operatorhub.models import Run


@pytest.fixture
def known(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Write contexts {name: (cluster, user)}, and see what is offered."""
    settings.KUBECONFIG, settings.KUBE_CONTEXT, settings.KUBE_CONTEXTS = str(tmp_path / "kubeconfig"), "", ("*",)
    for name, empty in (("_offered", None), ("_clients", {}), ("_endpoints", {})):
        monkeypatch.setattr(clusters, name, empty)

    def write(contexts: dict[str, tuple[str, str]], current: str = "") -> tuple[Offered, ...]:
        document = {
            "current-context": current,
            "contexts": [
                {"name": name, "context": {"cluster": of, "user": who}} for name, (of, who) in contexts.items()
            ],
            "clusters": [
                {"name": of, "cluster": {"server": f"http://{of}.example"}}
                for of in dict.fromkeys(of for of, _ in contexts.values())
            ],
            "users": [
                {"name": who, "user": {"token": who}} for who in dict.fromkeys(who for _, who in contexts.values())
            ],
        }
        Path(settings.KUBECONFIG).write_text(yaml.safe_dump(document))
        monkeypatch.setattr(clusters, "_offered", None)
        return clusters.offered()

    return write


def test_the_current_context_comes_first_without_a_prefix(known: Any) -> None:
    found = known({"a": ("one", "x"), "b": ("two", "y"), "c/d@e:f g~": ("three", "z")}, "b")
    assert [(item.context, item.prefix) for item in found] == [
        ("b", ""),
        ("a", "/c/a"),
        ("c/d@e:f g~", "/c/c~2Fd@e:f~20g~7E"),
    ]
    assert [clusters.name_of(item) for item in found] == ["two", "one", "three"]
    assert clusters.client_of(found[2]).name == "three" and clusters.client_of(found[0]).name == "two"


def test_another_default_changes_no_name(known: Any) -> None:
    contexts = {"a": ("one", "x"), "b": ("two", "y")}
    names = [{item.context: clusters.name_of(item) for item in known(contexts, current)} for current in ("a",)]
    clusters._clients.clear(), clusters._endpoints.clear()
    names.append({item.context: clusters.name_of(item) for item in known(contexts, "b")})
    assert names[0] == names[1]


def test_two_contexts_of_one_cluster_share_neither_name_nor_answers(known: Any) -> None:
    found = known({"admin": ("one", "x"), "reader": ("one", "x"), "one": ("other", "x")}, "admin")
    clients = [clusters.client_of(item) for item in found]
    assert len({client.name for client in clients}) == 3
    assert len({client.who for client in clients}) == 3
    assert [clusters.named(client.name) for client in clients] == list(found)
    assert {client.config.current().alias for client in clients} == {"", "reader", clients[2].name}


def test_only_what_is_asked_for_is_offered(known: Any, settings: Any) -> None:
    contexts = {"a": ("one", "x"), "b": ("two", "y"), "c": ("three", "z")}
    settings.KUBE_CONTEXT, settings.KUBE_CONTEXTS = "c", ("a", "gone")
    assert [item.context for item in known(contexts, "b")] == ["c", "a"]
    settings.KUBE_CONTEXTS = ()
    assert [item.context for item in known(contexts, "b")] == ["c"] and not clusters.several()


def test_a_kubeconfig_that_can_not_be_read_leaves_the_default_and_is_tried_again(known: Any, settings: Any) -> None:
    Path(settings.KUBECONFIG).write_text("{")
    assert clusters.offered() == (Offered(),)
    assert clusters.at("/c/a") is None
    Path(settings.KUBECONFIG).unlink()
    assert [item.context for item in known({"a": ("one", "x"), "b": ("two", "y")}, "b")] == ["b", "a"]


@pytest.mark.parametrize(
    "name",
    [
        "a",
        "kubernetes-admin@k8s",
        "arn:aws:eks:x:1:cluster/y",
        "a b",
        "~2F",
        "%2F",
        "../..",
        "..",
        ".",
        "한",
        "가" * 255,
    ],
)
def test_a_name_is_one_part_of_an_address_and_comes_back(known: Any, name: str) -> None:
    part = clusters.segment(name)
    assert clusters.context_of(part) == name and not set(part) & set("/%? #\\") and part.isascii()
    known({"first": ("one", "x"), name: ("two", "y")}, "first")
    for rest in ("/", "/resources/core/v1/pods/", f"/c/{part}/"):
        place, path = front.taken_off(f"/c/{part}{rest}")
        assert (place.context, path) == (name, rest)
    assert front.taken_off(f"/c/{part}")[1] == "/"
    for nobodys in ("/healthz", "/static/x", "/c/", "/cc/x", "/c/other/"):
        assert front.taken_off(nobodys if nobodys.startswith("/c") else f"/c/{part}{nobodys}")[0].context == "first"


def test_a_context_is_not_mistaken_for_another_ones_address(known: Any) -> None:
    known({"a": ("one", "x"), "b": ("two", "y"), "b/resources": ("three", "z")}, "a")
    assert front.taken_off("/c/b/resources/")[0].context == "b"
    assert front.taken_off("/c/b~2Fresources/")[0].context == "b/resources"


async def test_cookies_are_each_clusters_own(known: Any, settings: Any) -> None:
    known({"a": ("one", "x"), "b": ("two", "y")}, "a")
    session, csrf = settings.SESSION_COOKIE_NAME.encode(), settings.CSRF_COOKIE_NAME.encode()
    seen: list[bytes] = []
    sent: list[bytes] = []

    async def app(scope: Any, _receive: Any, send: Any) -> None:
        seen.append(dict(scope["headers"]).get(b"cookie", b""))
        headers = [(b"set-cookie", name + b"=new; Path=/") for name in (session, csrf, b"console_language")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})

    async def send(message: Any) -> None:
        sent.extend(value.partition(b"=")[0] for _name, value in message["headers"])

    async def ask(path: str, cookie: bytes) -> None:
        scope = {"type": "http", "path": path, "raw_path": path.encode(), "headers": [(b"cookie", cookie)]}
        await front.Front(app)(scope, None, send)  # type: ignore[arg-type]

    await ask("/c/b/", session + b"=1; console_language=ko")
    own, token, language = sent
    assert seen[-1] == b"console_language=ko" and language == b"console_language"
    assert own.startswith(session + b".") and token.startswith(csrf + b".")
    await ask("/c/b/", b"; ".join((own + b"=2", token + b"=3", session + b"=1")))
    assert seen[-1] == session + b"=2; " + csrf + b"=3"
    sent.clear()
    await ask("/", b"; ".join((own + b"=2", token + b"=3", session + b"=1")))
    assert session + b"=1" in seen[-1] and csrf + b"=3" not in seen[-1]
    assert sent[0] == session and sent[1].startswith(csrf + b".") and sent[1] != token


def test_the_first_of_two_contexts_of_one_name_is_meant(known: Any, settings: Any) -> None:
    known({"a": ("one", "x"), "b": ("two", "y")}, "a")
    file = Path(settings.KUBECONFIG)
    document = yaml.safe_load(file.read_text())
    document["contexts"] += [{"name": "a", "context": {"cluster": "two", "user": "y"}}]
    file.write_text(yaml.safe_dump(document))
    clusters._offered = None
    assert [(item.context, clusters.name_of(item)) for item in clusters.offered()] == [("a", "one"), ("b", "two")]


@pytest.mark.django_db
def test_while_the_kubeconfig_can_not_be_read_nobody_is_signed_out(known: Any, settings: Any) -> None:
    known({"a": ("one", "x"), "b": ("two", "y")}, "a")
    now = timezone.now()
    word = "w" * 43
    key = sessions._key(word)
    Session.objects.create(
        key=key, cluster="one", user="x", sealed=b"", began_at=now, seen_at=now, until=now + timedelta(hours=1)
    )
    request = RequestFactory().get("/")
    request.session = {sessions._WORD: word}  # type: ignore[assignment]
    file = Path(settings.KUBECONFIG)
    good = file.read_text()
    file.write_text("{")
    clusters._offered = None
    found = sessions.person_of(request)
    assert found is not None and found.user == "x"
    with pytest.raises(InvalidConfig):
        clients.client_of(found.session)
    file.write_text(good)
    assert sessions.person_of(request) == found
    request.META["SCRIPT_NAME"] = "/c/b"
    assert sessions.person_of(request) is None and sessions.find(key) is not None
    # A cluster that was removed from the console: its sessions are deleted with their credentials.
    Session.objects.filter(key=key).update(cluster="gone")
    assert sessions.person_of(request) is None and sessions.find(key) is None


@pytest.mark.parametrize("at", ["//evil.example/", "/\\evil.example/", "/\t/evil.example/", "https://evil.example/"])
def test_nobody_is_led_to_another_host(known: Any, at: str) -> None:
    here, other = known({"a": ("one", "x"), "b": ("two", "y")}, "a")
    assert switcher.there(at, here, here) == "/" and switcher.there(at, other, other) == "/c/b/"
    assert switcher.there(at, here, other).startswith("/c/b/")
    assert switcher.there("/audit/", here, here) == "/audit/"


@pytest.mark.django_db
def test_a_worker_goes_on_with_a_run_at_its_own_cluster_or_not_at_all(known: Any) -> None:
    known({"a": ("one", "x"), "b": ("two", "y")}, "a")
    now = timezone.now()
    Impersonation.objects.create(key="k", cluster="two", by="y", user="z", began_at=now, until=now + timedelta(hours=1))
    try:
        found = [tasks._whose(Run(cluster=of, session="")) for of in ("one", "two", "gone")]
        assert [item and item.name for item in found] == ["one", "two", None]
        # Begun as another there: with that one's client, and for no run of elsewhere.
        client = tasks._whose(Run(cluster="two", session="k"))
        assert client is not None and (client.name, client.user, client.by) == ("two", "z", "y")
        assert tasks._whose(Run(cluster="one", session="k")) is None
    finally:
        clients.drop("k")


def test_somebody_of_the_same_name_elsewhere_has_bounds_of_his_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limits, "_people", {})
    here, there = (
        Person(session="", user="alice", groups=(), until=timezone.now(), cluster=cluster).counted
        for cluster in ("one", "two")
    )
    for _each in range(rate_limits.AT_ONCE):
        assert rate_limits.enter(here) == 0
    assert rate_limits.enter(here) > 0
    assert rate_limits.enter(there) == 0
