"""Orders of a list."""

from kube.discovery import ResourceType
from kube.objects import Column
from resources.lists.columns import available, ordered
from resources.lists.entries import ListEntry, Owner
from resources.state.health import Health
from resources.usage import Usage

PODS = ResourceType(group="", version="v1", plural="pods", kind="Pod", namespaced=True)
COLUMNS = available(
    PODS,
    (
        Column(name="Name", type="string", format="name", priority=0, description=""),
        Column(name="Ready", type="string", format="", priority=0, description=""),
        Column(name="Size", type="integer", format="", priority=0, description=""),
        Column(name="Age", type="string", format="", priority=0, description=""),
    ),
)
OWNER = Owner("apps/v1", "ReplicaSet", "web")


def _entry(name: str, namespace: str, ready: str, size: int | None, day: int, state: str, **more: object) -> ListEntry:
    created = f"2026-01-{day:02}T00:00:00Z"
    return ListEntry(
        uid=name,
        name=name,
        namespace=namespace,
        created=created,
        cells=(name, ready, size, "?"),
        health=Health(state=state),
        **more,
    )  # type: ignore[arg-type]


ENTRIES = [
    _entry("c", "a", "10/10", 3, 2, "Ready", labels=(("tier", "web"),)),
    _entry("a", "a-b", "2/3", 20, 1, "Degraded", owner=OWNER),
    _entry("b", "a", "1/1", None, 3, "Progressing", labels=(("tier", "db"),)),
]


def _names(sort: str) -> str:
    return "".join(entry.name for entry in ordered(ENTRIES, sort, COLUMNS))


def test_the_servers_own_order_is_that_of_its_keys() -> None:
    # '-' comes before '/': "a-b/a" before "a/b".
    assert _names("") == "abc"
    assert _names("no such column") == "abc"


def test_names_and_namespaces() -> None:
    assert _names("name") == "abc"
    assert _names("-name") == "cba"
    assert _names("namespace") == "bca"


def test_numbers_by_size_and_nothing_last() -> None:
    assert _names("=Size") == "cab"
    assert _names("=Ready") == "bac"
    assert _names("ready") == "bac"


def test_ages_youngest_first() -> None:
    assert _names("=Age") == "bca"
    assert _names("-=Age") == "acb"


def test_what_needs_somebody_first() -> None:
    assert _names("state") == "abc"
    assert _names("-state") == "cba"


def test_owners_and_labels_nothing_last() -> None:
    assert _names("owner")[0] == "a"
    assert _names("label:tier") == "bca"


def test_measurements_with_the_highest_first() -> None:
    entries = [
        _entry("a", "shop", "1/1", 1, 1, "Ready", usage=Usage(0.5, 10)),
        _entry("b", "shop", "1/1", 1, 1, "Ready"),
        _entry("c", "shop", "1/1", 1, 1, "Ready", usage=Usage(2.0, 5)),
    ]
    for sort, names in (("-cpu", "cab"), ("cpu", "bac"), ("-memory", "acb")):
        assert "".join(entry.name for entry in ordered(entries, sort, COLUMNS)) == names
