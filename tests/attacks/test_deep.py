"""S2, S10: YAML and JSON too deep for any reader, wherever untrusted input can put them; how deep is tried in
tests/untrusted.
"""

import base64
import io

import pytest
from django.test import Client

from kube import limits
from kube.client import ClusterClient
from operatorhub import csv
from operatorhub.run import bundle_input
from operatorhub.sources import fbc
from operatorhub.sources.drafts import SourceError
from resources import yamltext
from resources.kinds import configs
from tests.attacks import objects, pages
from tests.attacks.placement import placed
from tests.attacks.texts import DEEP

SIZES = {"deep": 25_000, "deeper": 1_000_000}
DEEP_JSON = '{"metadata":{},"data":' + "[" * 25_000 + "]" * 25_000 + "}"
YAML = ("[", "{a: ", "- ")


@pytest.mark.parametrize("text", DEEP)
def test_s10_annotations_of_an_operator_may_be_deep(text: str) -> None:
    annotations = dict.fromkeys(objects.csv("x", "x")["metadata"]["annotations"], text)
    assert csv.initialization(annotations) is None
    for read in (csv.internal, csv.features, csv.subscriptions, csv.suggested_namespace):
        read(annotations)
    assert csv.objects(annotations) == ()
    assert not [*configs.registries({".dockerconfigjson": base64.b64encode(text.encode()).decode()})]


@pytest.mark.parametrize("levels", SIZES.values(), ids=SIZES)
def test_s2_catalogs_and_bundles_leave_out_what_is_deep(levels: int) -> None:
    """S2: a catalog ended the worker, and what it names the web process."""
    for opening in YAML:
        text = opening * levels
        blob = b"schema: olm.package\nname: a\nx: " + text.encode()
        assert all(found.problem for found in fbc.read_blobs(io.BytesIO(blob)))
        bad: list[str] = []
        assert not fbc._manifests(base64.b64encode(text.encode()).decode(), bad)
        assert bad
        with pytest.raises(SourceError):
            bundle_input.files([("csv.yaml", text.encode())])
    blob = b'{"schema": "olm.package", "name": "a", "x": ' + b"[" * levels + b"]" * levels + b"}"
    assert all(found.problem for found in fbc.read_blobs(io.BytesIO(blob)))


@pytest.mark.django_db
@pytest.mark.timeout(300)
def test_s10_an_object_as_deep_as_is_taken_has_its_pages(cluster: ClusterClient) -> None:
    """S10: the deepest that the console takes is shown, edited and compared by code that calls itself for each
    level.
    """
    with placed(cluster) as made:
        type_ = cluster.find(objects.GROUP, "v1", "attacks")
        value: object = "x"
        for number in range(limits.JSON_LEVELS.value - 10):
            value = {"a": value} if number % 2 else [value]
        obj = {
            "apiVersion": type_.api_version,
            "kind": type_.kind,
            "metadata": {"name": "deep"},
            "spec": {"any": {"b": value}},
        }
        cluster.create(type_, obj, made.namespace)
        browser, wrong = Client(), []
        for path in (
            *pages.of_object(type_.group, type_.version, type_.plural, made.namespace, "deep"),
            *pages.of_kind(type_.group, type_.version, type_.plural, made.namespace),
        ):
            answer = browser.get(path)
            wrong += [f"{path}: {answer.status_code}"] if answer.status_code >= 500 else []
        assert not wrong
        kind = f"/resources/{type_.group}/{type_.version}/{type_.plural}/"
        assert browser.get(f"{kind}?namespace={made.namespace}").status_code == 200
        assert browser.get(f"{kind}{made.namespace}/deep/").status_code == 200
        text = yamltext.dump(cluster.get(type_, "deep", made.namespace))
        assert yamltext.load(text)["spec"]["any"] == {"b": value}
        assert browser.post(f"{kind}{made.namespace}/deep/edit/", {"text": text, "~check": "1"}).status_code < 500


@pytest.mark.django_db
@pytest.mark.parametrize("opening", YAML)
def test_s2_a_page_refuses_deep_yaml(cluster: ClusterClient, opening: str) -> None:
    """S2: 40 KB of it ended the web process for all users."""
    text, browser = opening * 25_000, Client()
    new = "/resources/core/v1/configmaps/new/?namespace=default"
    for path, posted in (
        ("/resources/import/?namespace=default", {"text": text, "~check": "1"}),
        ("/resources/import/?namespace=default", {"text": text, "~send": "1"}),
        (new, {"text": text, "~save": "1"}),
        (new, {"text": "a: b", "~original": DEEP_JSON, "~good": DEEP_JSON, "~save": "1"}),
        (new, {"~base": DEEP_JSON, "~save": "1"}),
    ):
        assert browser.post(path, posted).status_code < 500, path
