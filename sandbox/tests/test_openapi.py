"""/openapi/v3 over HTTP: an index of hashes, documents that may be kept, and what the console's client makes of
them.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from kube.client import ClusterClient
from kube.config import load
from tests.api import CRDS, Api, custom_resource_definition

ODDITY = Path(__file__).parent / "schema" / "data" / "openapi_oddity.yaml"


def address(api: Api, path: str) -> str:
    return str(api.get("/openapi/v3").json["paths"][path]["serverRelativeURL"])


@pytest.fixture
def oddities(api: Api) -> Iterator[str]:
    """The path of the odd CRD's document."""
    crd = yaml.safe_load(ODDITY.read_text())
    assert api.post(CRDS, crd).status == 201
    yield "apis/openapi.test/v1beta1"
    api.delete(f"{CRDS}/{crd['metadata']['name']}")


def test_an_index_of_everything_served(api: Api) -> None:
    paths = api.get("/openapi/v3").json["paths"]
    assert {"api/v1", "apis/apps/v1", "apis/operators.coreos.com/v1alpha1"} <= set(paths)
    url = paths["apis/apps/v1"]["serverRelativeURL"]
    assert url.startswith("/openapi/v3/apis/apps/v1?hash=")


def test_a_document_may_be_kept(api: Api) -> None:
    url = address(api, "apis/apps/v1")
    answer = api.get(url)
    tag = url.partition("hash=")[2]
    assert answer.status == 200
    assert answer.headers["etag"] == f'"{tag}"'
    assert answer.headers["cache-control"] == "public, immutable"
    caching_api = Api(api.kubeconfig, api.token, **{"If-None-Match": f'"{tag}"'})
    assert caching_api.get("/openapi/v3/apis/apps/v1").status == 304


def test_an_old_address_leads_to_the_new_one(api: Api) -> None:
    answer = api.get("/openapi/v3/apis/apps/v1?hash=OLD")
    assert answer.status == 301
    assert answer.headers["location"] == address(api, "apis/apps/v1")


def test_documents_that_are_not_there(api: Api) -> None:
    assert api.get("/openapi/v3/apis/nothing.test/v1").status == 404
    assert api.get("/openapi/v9").status == 404


def test_protobuf_is_refused_and_json_is_not(api: Api) -> None:
    only = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
    assert api.get("/openapi/v2", accept=only).status == 406
    assert api.get("/openapi/v2").json["swagger"] == "2.0"


def test_a_crd_changes_its_own_document_only(api: Api, oddities: str) -> None:
    before = {path: address(api, path) for path in (oddities, "apis/apps/v1")}
    url = f"{CRDS}/oddities.openapi.test"
    api.patch(url, {"metadata": {"labels": {"a": "b"}}})
    assert address(api, oddities) == before[oddities], "labels are not in the document"
    crd = api.get(url).json
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["new"] = {
        "type": "string"
    }
    assert api.put(url, crd).status == 200
    assert address(api, oddities) != before[oddities]
    assert address(api, "apis/apps/v1") == before["apis/apps/v1"]
    spec = api.get(address(api, oddities)).json["components"]["schemas"]["test.openapi.v1beta1.Oddity"]
    assert spec["properties"]["spec"]["properties"]["new"] == {"type": "string"}


def test_a_document_goes_with_its_crd(api: Api) -> None:
    crd = custom_resource_definition("gone.test", "parcels", "Parcel")
    api.post(CRDS, crd)
    assert api.get(address(api, "apis/gone.test/v1")).status == 200
    with api.watch(f"{CRDS}?watch=1&fieldSelector=metadata.name%3Dparcels.gone.test") as watch:
        api.delete(f"{CRDS}/parcels.gone.test")
        while watch.next()["type"] != "DELETED":
            pass
    assert "apis/gone.test/v1" not in api.get("/openapi/v3").json["paths"]
    assert api.get("/openapi/v3/apis/gone.test/v1").status == 404


def test_the_consoles_client_finds_schemas(kubeconfig: Path, oddities: str) -> None:
    client = ClusterClient(load(str(kubeconfig)))
    custom = client.schema(client.find_kind("openapi.test", "Oddity"))
    assert custom is not None
    assert custom["properties"]["spec"]["properties"]["color"]["default"] == "red"
    assert "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" in custom["components"]["schemas"]
    deployment = client.schema(client.find_kind("apps", "Deployment"))
    assert deployment is not None
    template = deployment["components"]["schemas"]["io.k8s.api.core.v1.PodSpec"]["properties"]
    assert template["restartPolicy"]["enum"] == ["Always", "Never", "OnFailure"]
    assert template["containers"]["description"].startswith("List of containers")
