"""People whose only right is a role in a namespace or two, on a console that they sign in to."""

from collections.abc import Iterator

import pytest

from kube.client import ClusterClient
from kube.objects import name_of
from operatorhub import olm
from tests.console.reach.tenants import Tenants, tenants
from tests.console.signin.conftest import admin, pipe, tokens  # noqa: F401  the same console
from tests.eventually import until


@pytest.fixture(scope="session")
def town(admin: ClusterClient) -> Iterator[Tenants]:  # noqa: F811
    with tenants(admin) as found:
        yield found


@pytest.fixture(scope="session")
def operator(town: Tenants, admin: ClusterClient) -> str:  # noqa: F811
    """The name of the ClusterServiceVersion of an operator that OLM installs into the own namespace, which it
    watches alone.
    """
    group = {"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup", "metadata": {"name": town.own}}
    admin.create(olm.type_of(admin, "operatorgroups"), {**group, "spec": {"targetNamespaces": [town.own]}}, town.own)
    wanted = {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "Subscription",
        "metadata": {"name": "sampledb"},
        "spec": {"name": "sampledb", "channel": "", "source": "samples-catalog", "sourceNamespace": "olm"},
    }
    subscriptions = olm.type_of(admin, olm.SUBSCRIPTIONS)
    admin.create(subscriptions, wanted, town.own)

    def named() -> str:
        return olm.subscription(admin.get(subscriptions, "sampledb", town.own)).current_csv

    def made() -> bool:
        return any(name_of(item) == named() for item in admin.list(olm.type_of(admin, olm.CSVS), town.own).items)

    until(named)
    until(made)
    return named()
