"""The wire decoder, and bodies that are odd in themselves."""

import pytest

from sandbox.bodies import duplicates
from sandbox.errors import UnsupportedMediaType
from sandbox.protobuf import MAGIC, decode_protobuf
from tests.api import Api


def _field(number: int, value: bytes) -> bytes:
    return bytes((number << 3 | 2, len(value))) + value


def _body(api_version: str, kind: str, raw: bytes) -> bytes:
    meta = _field(1, api_version.encode()) + _field(2, kind.encode())
    return MAGIC + _field(1, meta) + _field(2, raw)


def test_a_config_map() -> None:
    pair = _field(1, b"k") + _field(2, b"v")
    metadata = _field(1, b"name") + _field(11, _field(1, b"l") + _field(2, b"1"))
    raw = _field(1, metadata) + _field(2, pair) + _field(3, _field(1, b"bin") + _field(2, b"\x00\xff"))
    assert decode_protobuf(_body("v1", "ConfigMap", raw)) == {
        "kind": "ConfigMap",
        "apiVersion": "v1",
        "metadata": {"name": "name", "labels": {"l": "1"}},
        "data": {"k": "v"},
        "binaryData": {"bin": "AP8="},
    }


def test_a_zero_that_means_something_stays() -> None:
    replicas = bytes((1 << 3, 0))
    paused = bytes((7 << 3, 0))
    raw = _field(1, _field(1, b"d")) + _field(2, replicas + paused)
    assert decode_protobuf(_body("apps/v1", "Deployment", raw))["spec"] == {"replicas": 0}


def test_kinds_without_a_table_are_refused() -> None:
    with pytest.raises(UnsupportedMediaType):
        decode_protobuf(_body("v1", "Binding", b""))


def test_over_http(api: Api, maps: str) -> None:
    body = _body("v1", "ConfigMap", _field(1, _field(1, b"p")))
    created = api.post(maps, body, content_type="application/vnd.kubernetes.protobuf")
    assert (created.status, created.headers["content-type"]) == (201, "application/json")


def test_keys_that_come_twice() -> None:
    data = b'{"a":1,"b":{"c":1,"c":2},"l":[{"x":1},{"x":1,"x":2}],"a":2}'
    assert set(duplicates(data, "application/json", strict=True)) == {
        'duplicate field "a"',
        'duplicate field "b.c"',
        'duplicate field "l[1].x"',
    }


def test_field_validation_of_twice_written_keys(api: Api, maps: str) -> None:
    body = b'{"metadata":{"name":"t"},"data":{"k":"v","k":"w"}}'
    refused = api.post(f"{maps}?fieldValidation=Strict", body)
    assert refused.message == (
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data.k"'
    )
    warned = api.post(f"{maps}?fieldValidation=Warn", body)
    assert (warned.status, warned.headers["warning"]) == (201, '299 - "duplicate field \\"data.k\\""')
    assert api.post(f"{maps}?fieldValidation=Foo", body).causes == [("fieldValidation", "FieldValueNotSupported")]
