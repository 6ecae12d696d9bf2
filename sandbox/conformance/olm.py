"""OLM as the conformance tests use it: one namespace of their own, and the packages under packages/."""

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.api import Answer, Api

from .observations import Seen

Object = dict[str, Any]

PACKAGES = Path(__file__).resolve().parent / "packages"
#: The group of the packages' kinds.
GROUP = "tea.conformance.example"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
PACKAGE_API = "/apis/packages.operators.coreos.com/v1"
_API = "/apis/operators.coreos.com"
_CSV = "ClusterServiceVersion"
_VERSIONS = {"operatorgroups": "v1", "operatorconditions": "v2"}
_KINDS = {
    "operatorgroups": "OperatorGroup",
    "subscriptions": "Subscription",
    "clusterserviceversions": "ClusterServiceVersion",
    "catalogsources": "CatalogSource",
}


def catalog_of(api: Api) -> str:
    """The CatalogSource in namespace olm that offers the packages; the test is skipped where there is none."""
    path = f"{PACKAGE_API}/namespaces/olm/packagemanifests/conformance-pots"
    end = time.monotonic() + 20
    while (answer := api.get(path)).status != 200:
        if time.monotonic() > end or not _has_olm(api):
            pytest.skip("needs OLM with a catalog that has sandbox/conformance/packages")
        time.sleep(0.1)
    return str(answer.json["status"]["catalogSource"])


def _has_olm(api: Api) -> bool:
    return api.get(f"{_API}/v1alpha1/catalogsources").status == 200


class Olm:
    """What one namespace asks of OLM. Names that differ from run to run are made known to ``seen``."""

    def __init__(self, api: Api, namespace: str, catalog: str):
        self.api = api
        self.namespace = namespace
        self.catalog = catalog

    def known_to(self, seen: Seen) -> "Olm":
        """Its namespace and the catalog stand as placeholders in the checks of this test."""
        seen.alias("namespace", self.namespace)
        seen.alias("catalog", self.catalog)
        return self

    def path(self, plural: str, name: str = "") -> str:
        """Of OLM's kinds, in this namespace."""
        version = _VERSIONS.get(plural, "v1alpha1")
        return f"{_API}/{version}/namespaces/{self.namespace}/{plural}" + (f"/{name}" if name else "")

    def core(self, plural: str, name: str = "", group: str = "") -> str:
        """Of other kinds: ``group`` as in ``apps/v1``."""
        head = f"/apis/{group}" if group else "/api/v1"
        return f"{head}/namespaces/{self.namespace}/{plural}" + (f"/{name}" if name else "")

    # Making

    def make(self, plural: str, name: str, spec: Object, **meta: Any) -> Answer:
        """Creates one of OLM's objects."""
        version = _VERSIONS.get(plural, "v1alpha1")
        head = {"apiVersion": f"operators.coreos.com/{version}", "kind": _KINDS[plural]}
        return self.api.post(self.path(plural), {**head, "metadata": {"name": name, **meta}, "spec": spec})

    def group(self, name: str = "group", **spec: Any) -> Answer:
        """An OperatorGroup; without a word more it means its own namespace."""
        return self.make("operatorgroups", name, spec or {"targetNamespaces": [self.namespace]})

    def subscribe(self, package: str, channel: str = "stable", name: str = "", **spec: Any) -> Answer:
        """A Subscription, named as its package."""
        wanted = {"name": package, "channel": channel, "source": self.catalog, "sourceNamespace": "olm", **spec}
        return self.make("subscriptions", name or package, {key: item for key, item in wanted.items() if item})

    def install(self, package: str, csv: str, channel: str = "stable", **spec: Any) -> Object:
        """Subscribes, and waits until the Subscription says that this CSV is installed. Returns the Subscription."""
        assert self.subscribe(package, channel, **spec).status == 201
        self.csv(csv, "Succeeded")
        return self.settled(package, csv)

    def approve(self, plan: str) -> Answer:
        """What the Approve button does."""
        return self.api.patch(self.path("installplans", plan), {"spec": {"approved": True}})

    # Waiting

    def csv(self, name: str, *phases: str) -> Object:
        """A ClusterServiceVersion as soon as it is in one of these phases."""
        path = self.path("clusterserviceversions", name)
        found: Object = self.api.until(path, lambda csv: (csv.get("status") or {}).get("phase") in phases)
        return found

    def csv_because(self, name: str, reason: str) -> Object:
        """A ClusterServiceVersion as soon as this is its status' reason."""
        path = self.path("clusterserviceversions", name)
        found: Object = self.api.until(path, lambda csv: (csv.get("status") or {}).get("reason") == reason)
        return found

    def csv_after_a_look(self, name: str, wanted: Callable[[Object], Any]) -> Object:
        """A ClusterServiceVersion as soon as its status is as wanted.

        OLM reconciles it when it changes, else minutes later.
        """
        path, end = self.path("clusterserviceversions", name), time.monotonic() + 20
        for number in range(1000):
            found: Object = self.api.get(path).json
            if wanted(found.get("status") or {}):
                return found
            assert time.monotonic() < end, f"{name} is not as wanted: {found.get('status')}"
            if number % 10 == 0:
                self.api.patch(path, {"metadata": {"annotations": {"tests/look": str(number)}}})
            time.sleep(0.05)
        raise AssertionError

    def subscription(self, name: str, wanted: Callable[[Object], Any]) -> Object:
        """A Subscription as soon as its status is as wanted."""
        found: Object = self.api.until(self.path("subscriptions", name), lambda item: wanted(item.get("status") or {}))
        return found

    def settled(self, name: str, csv: str) -> Object:
        """A Subscription whose CSV is installed, with the conditions of a plan on its way gone."""
        return self.subscription(
            name,
            lambda status: (
                status.get("installedCSV") == csv
                and status.get("state") == "AtLatestKnown"
                and not condition(status, "InstallPlanPending")
            ),
        )

    def failed(self, name: str) -> Object:
        """A Subscription's ResolutionFailed condition, as soon as it is true."""
        found = self.subscription(name, lambda status: condition(status, "ResolutionFailed").get("status") == "True")
        return condition(found["status"], "ResolutionFailed")

    def plan(self, subscription: str, phase: str, csv: str = "") -> Object:
        """The InstallPlan that a Subscription refers to, in this phase; with ``csv``, one that installs it."""

        def fits(status: Object) -> bool:
            return bool(status.get("installPlanRef")) and csv in ("", status.get("currentCSV"))

        status = self.subscription(subscription, fits)["status"]
        found: Object = self.api.until(
            self.path("installplans", status["installPlanRef"]["name"]),
            lambda item: (item.get("status") or {}).get("phase") == phase,
        )
        return found

    def adopted(self, package: str) -> Object:
        """The Operator of a package here, as soon as it refers to all kinds that an install makes, and saw it
        succeed.
        """
        kinds = {_CSV, "CustomResourceDefinition", "Deployment", "InstallPlan", "OperatorCondition"}
        kinds |= {"Subscription", "ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"}

        def has_all(operator: Object) -> bool:
            refs = operator.get("status", {}).get("components", {}).get("refs", [])
            states = [item["type"] for ref in refs for item in ref.get("conditions", []) if ref["kind"] == _CSV]
            return kinds <= {ref["kind"] for ref in refs} and "Succeeded" in states

        path = f"{_API}/v1/operators/{package}.{self.namespace}"
        found: Object = self.api.until(path, has_all)
        return found


def condition(status: Object, type_: str) -> Object:
    """A condition of a status, without its time; empty when there is none."""
    found: Object = next((item for item in status.get("conditions") or [] if item["type"] == type_), {})
    return {key: value for key, value in found.items() if key != "lastTransitionTime"}


def history(csv: Object) -> list[str]:
    """Phase, reason and message of each condition of a CSV, without those that only a slow cluster shows."""
    lines = [
        f"{item['phase']}, {item.get('reason', '')}: {item.get('message', '')}" for item in csv["status"]["conditions"]
    ]
    passing = ("Pending, RequirementsNotMet", "Installing, InstallWaiting")
    return [line for line in lines if not line.startswith(passing)]


def owner(obj: Object) -> list[Object]:
    """The owner references of an object."""
    found: list[Object] = obj["metadata"].get("ownerReferences", [])
    return found


def csv_spec(*modes: str, **spec: Any) -> Object:
    """The spec of a CSV with one Deployment; of the install modes it supports these, of the others it says that it
    does not.
    """
    every = ("OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces")
    pod = {"containers": [{"name": "operator", "image": "conformance.example/tea:1"}]}
    labels = {"app": "tea"}
    deployment = {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod}}
    return {
        "displayName": "Tea",
        "version": "1.0.0",
        "installModes": [{"type": mode, "supported": mode in modes} for mode in every],
        "install": {"strategy": "deployment", "spec": {"deployments": [{"name": "tea", "spec": deployment}]}},
        **spec,
    }


def told_in_order(message: str) -> str:
    """The reasons of a resolver's message in a fixed order: it tells them in any.

    Of two bundles of one package it names the package, or as
    well an API that both provide: whichever it came upon.
    """
    message = re.sub(
        r"(conformance-(\w+)\.v\S+) provide \w+ \(\S+\)", r"\1 originate from package conformance-\2", message
    )
    head, colon, reasons = message.partition(": ")
    begins = r", (?=subscription |bundle |clusterserviceversion |no operators|@existing)"
    return head + colon + ", ".join(sorted(re.split(begins, reasons)))
