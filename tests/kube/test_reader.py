"""Reading objects as types never fails, and gives what is readable of them."""

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import msgspec
import pytest

from kube import types
from kube.reader import ApiType, IntOrString, Text, api_name, read, read_list

JUNK: tuple[Any, ...] = (
    *(None, True, 0, 7, 2.5, "", " padded ", "text"),
    *([], {}, [None, 3, "x", [], {}], {"a": None}, {3: {"b": []}}),
)


def subclasses(type_: type[ApiType]) -> Iterator[type[ApiType]]:
    for each in type_.__subclasses__():
        yield each
        yield from subclasses(each)


for _module in pkgutil.iter_modules(types.__path__):
    import_module(f"kube.types.{_module.name}")
ALL = [type_ for type_ in subclasses(ApiType) if type_.__module__.startswith("kube.types.")]


class Part(ApiType, frozen=True):
    name: str = ""
    count: int = 0


class Whole(ApiType, frozen=True):
    name: str = "none"
    title: Text = ""
    port: IntOrString = ""
    ready: bool = False
    paused: bool | None = None
    size: int | None = None
    part: Part = Part()
    other: Part | None = None
    parts: tuple[Part, ...] = ()
    words: tuple[str, ...] = ()
    groups: tuple[str | None, ...] | None = None
    labels: dict[str, str] = {}
    named: dict[str, Part] = {}
    anything: Any = None


GOOD = {
    "name": "web",
    "title": "Web",
    "port": 80,
    "ready": True,
    "paused": False,
    "size": 3,
    "part": {"name": "a", "count": 1, "unknown": []},
    "other": {},
    "parts": [{"name": "b"}],
    "words": ["x"],
    "labels": {"app": "web"},
    "named": {"one": {"name": "c"}},
    "anything": {"deep": [1]},
}


def test_a_good_object_is_read_the_same_with_a_surprise_beside_it() -> None:
    whole = read(GOOD, Whole)
    assert whole == Whole(
        name="web",
        title="Web",
        port=80,
        ready=True,
        paused=False,
        size=3,
        part=Part(name="a", count=1),
        other=Part(),
        parts=(Part(name="b"),),
        words=("x",),
        labels={"app": "web"},
        named={"one": Part(name="c")},
        anything={"deep": [1]},
    )
    # One field that can't be read makes the others go another way.
    assert read({**GOOD, "name": None}, Whole) == msgspec.structs.replace(whole, name="none")


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("name", 7, "7"),
        ("name", True, "True"),
        ("name", {"a": 1}, "none"),
        ("title", " Web\n", "Web"),
        ("title", "two\nlines", "two\nlines"),
        ("port", "http", "http"),
        ("port", True, ""),
        ("ready", "true", False),
        ("ready", 1, False),
        ("paused", "no", None),
        ("size", True, None),
        ("size", "3", None),
        ("size", 2.5, None),
        ("part", None, Part()),
        ("part", [], Part()),
        ("part", {"name": 5, "count": "many"}, Part(name="5")),
        ("other", [], None),
        ("other", {"count": "x"}, Part()),
        ("parts", {"name": "b"}, ()),
        ("parts", [None, {"name": "b"}, 3, {"name": None}], (Part(name="b"), Part())),
        ("words", "word", ()),
        ("words", ["a", None, 3, {}], ("a", "3")),
        ("groups", None, None),
        ("groups", [None, "a", 3, {}], (None, "a", "3")),
        ("labels", ["app"], {}),
        ("labels", {"app": None, "port": 80, "x": {}}, {"port": "80"}),
        ("named", {"one": None, "two": {"count": 2}}, {"two": Part(count=2)}),
    ],
)
def test_what_is_not_of_the_fields_type(field: str, value: object, expected: object) -> None:
    whole = read({**GOOD, field: value}, Whole)
    assert getattr(whole, field) == expected
    assert msgspec.structs.replace(whole, **{field: None}) == msgspec.structs.replace(
        read(GOOD, Whole), **{field: None}
    )


@pytest.mark.parametrize("junk", JUNK, ids=repr)
def test_what_is_no_mapping_has_the_defaults(junk: object) -> None:
    assert read(junk, Whole) == Whole()


def test_a_number_of_too_many_digits_is_no_text() -> None:
    whole = read({**GOOD, "name": 16**5000, "title": 16**5000, "words": [16**5000, "x"]}, Whole)
    assert (whole.name, whole.title, whole.words) == ("none", "", ("x",))


def test_a_key_with_half_of_a_surrogate_pair_hides_nothing() -> None:
    assert read({**GOOD, "\ud800": 1, "part": {"\udfff": 1, "name": "a", "count": 1}}, Whole) == read(GOOD, Whole)


def test_lists() -> None:
    assert read_list([{"name": "a"}, None, "x", {"count": None}], Part) == (Part(name="a"), Part())
    assert all(read_list(junk, Part) == () for junk in JUNK if not isinstance(junk, list))


@pytest.mark.parametrize("type_", ALL, ids=lambda type_: type_.__name__)
def test_no_type_fails_on_junk(type_: type[ApiType]) -> None:
    for field in msgspec.structs.fields(type_):
        for junk in JUNK:
            read({field.encode_name: junk}, type_)
    assert read({}, type_) == type_()


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ("pod_ips", "podIPs"),
        ("uid", "uid"),
        ("installed_csv", "installedCSV"),
        ("type_", "type"),
        ("host_ip", "hostIP"),
    ],
)
def test_names(field: str, name: str) -> None:
    assert api_name(field) == name
