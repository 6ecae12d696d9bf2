"""A whole list as a file: every object, filtered as on the page; without Secrets; and an incomplete file is
recognizable.
"""

import csv
import io
from typing import Any

import pytest
import yaml
from django.test import Client

from kube.client import ClusterClient
from kube.errors import Unreachable
from resources.lists import download, snapshot
from resources.lists.listing import Query

MAPS = "/resources/core/v1/configmaps/"
TYPE = ("", "v1", "configmaps")


def text_of(answer: Any) -> str:
    return b"".join(answer.streaming_content).decode()


@pytest.fixture
def maps(client: ClusterClient, namespace: str) -> str:
    """A namespace with item-0 … item-6 and `=odd`-valued labels that no spreadsheet may run; chunks are of 3."""
    for number in range(7):
        labels = {"even": "yes"} if number % 2 == 0 else {}
        metadata = {"name": f"item-{number}", "labels": labels}
        obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"n": str(number)}}
        client.create(client.find(*TYPE), obj, namespace)
    return namespace


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "CHUNK_ROWS", 3)
    monkeypatch.setattr(snapshot, "CHUNK_OBJECTS", 3)


def test_csv_has_the_columns_of_kubectl(browser: Client, maps: str) -> None:
    answer = browser.get(f"{MAPS}download/?format=csv&namespace={maps}&q=item-")
    assert answer["Content-Type"].startswith("text/csv")
    assert answer["Content-Disposition"] == f'attachment; filename="configmaps-{maps}.csv"'
    rows = list(csv.reader(io.StringIO(text_of(answer))))
    assert rows[0] == ["Name", "Namespace", "Data", "Age"]
    assert [row[0] for row in rows[1:]] == [f"item-{number}" for number in range(7)]
    assert rows[1][2] == "1"
    assert rows[1][3].endswith("Z")


def test_objects_as_json_and_as_yaml(browser: Client, maps: str) -> None:
    json_ = browser.get(f"{MAPS}download/?format=json&namespace={maps}&labels=even%3Dyes")
    found = yaml.safe_load(text_of(json_))
    assert found["kind"] == "List"
    assert [obj["data"]["n"] for obj in found["items"]] == ["0", "2", "4", "6"]
    assert "managedFields" not in found["items"][0]["metadata"]
    text = text_of(browser.get(f"{MAPS}download/?format=yaml&namespace={maps}&q=item-3"))
    assert text.startswith("---\napiVersion: v1\nkind: ConfigMap\n")
    assert [document["metadata"]["name"] for document in yaml.safe_load_all(text)] == ["item-3"]


def test_no_objects_are_a_file_too(browser: Client, maps: str) -> None:
    assert text_of(browser.get(f"{MAPS}download/?format=csv&namespace={maps}&q=absent")).count("\n") == 1
    found = yaml.safe_load(text_of(browser.get(f"{MAPS}download/?format=json&namespace={maps}&q=absent")))
    assert found["items"] == []


def test_values_of_secrets_are_left_out(
    browser: Client, client: ClusterClient, namespace: str, caplog: pytest.LogCaptureFixture
) -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "key"}, "stringData": {"password": "hush"}}
    client.create(client.find("", "v1", "secrets"), secret, namespace)
    address = f"/resources/core/v1/secrets/download/?format=yaml&namespace={namespace}"
    assert "aHVzaA" not in text_of(browser.get(address))
    assert "password: ••••••" in text_of(browser.get(address))
    with caplog.at_level("INFO", logger="console.audit"):
        assert "aHVzaA==" in text_of(browser.get(f"{address}&reveal=1"))
    assert "verb=download object=core/v1/secrets" in caplog.text


def test_what_is_wrong_is_said_before_anything_is_sent(browser: Client, maps: str) -> None:
    assert browser.get(f"{MAPS}download/?format=xls").status_code == 400
    assert browser.get(f"{MAPS}download/?format=csv&labels=a%3D%3D%3Db").status_code == 400
    assert browser.get("/resources/example.com/v1/nothing/download/").status_code == 404


def test_half_a_list_does_not_look_whole(client: ClusterClient, maps: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = client.list

    def breaks(*arguments: Any, **options: Any) -> Any:
        if options.get("continue_"):
            raise Unreachable("The API server went\naway.")
        return whole(*arguments, **options)

    monkeypatch.setattr(client, "list", breaks)
    found = download.objects(client, client.find(*TYPE), maps, Query(), masked=False)
    text = "".join(download.whole(download.as_json(found)))
    assert text.endswith("\n# This list is not complete: The API server went away.\n")
    with pytest.raises(yaml.YAMLError):
        yaml.safe_load(text)


@pytest.mark.parametrize(
    ("cell", "written"),
    [("=cmd()", "'=cmd()"), ("-1", "-1"), ("+1.5", "+1.5"), ("-rm", "'-rm"), ("@a", "'@a"), (None, ""), (3, 3)],
)
def test_a_spreadsheet_runs_nothing(cell: Any, written: Any) -> None:
    assert download._harmless(cell) == written
