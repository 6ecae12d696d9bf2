"""Is OLM there, and is it well? What is looked for, and what was found, one line each; the same for OLM v1."""

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.errors import KubeError, NotFound
from kube.reader import read
from kube.types.extensions import APIServiceStatus
from kube.types.olm import CatalogSource, ClusterServiceVersion
from kube.types.workloads import Workload
from operatorhub import olm
from operatorhub.admin import catalogsources
from operatorhub.install_state import HEALTHY_CATALOG
from operatorhub.running.workloads import page_of
from resources.state.health import condition_of

GOOD, BAD, ABSENT, UNKNOWN = "done", "failed", "waiting", "asks"
#: Deployments by name.
PROGRAMS_V1 = ("operator-controller-controller-manager", "catalogd-controller-manager")


@dataclass(frozen=True, slots=True)
class Check:
    """One check. `state`: GOOD, BAD, ABSENT or UNKNOWN (the user can't read it)."""

    name: str
    state: str
    words: str
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """`served`: something does OLM's work; `outside`: and no Deployment here does (the embedded cluster, hosted
    control planes).
    """

    lines: tuple[Check, ...]
    lines_v1: tuple[Check, ...]
    served: bool
    served_v1: bool
    outside: bool
    version: str

    @property
    def unseen(self) -> bool:
        """True if the user can't read an object."""
        return any(line.state == UNKNOWN for line in self.lines)

    @property
    def healthy(self) -> bool:
        return self.served and not any(line.state == BAD for line in self.lines)


def read_state(client: ClusterClient, *, refresh: bool = True) -> State:
    """Run all checks; objects that can't be read become UNKNOWN lines. `refresh`: repeat the API discovery too."""
    if refresh:
        client.forget_types()
    served, served_v1 = olm.served(client), _serves(client, "olm.operatorframework.io")
    programs = {name: _programs(client, name) for name in olm.PROGRAMS}
    running = [item for found in programs.values() for item in (found if isinstance(found, list) else [])]
    outside = served and not running and all(isinstance(found, list) for found in programs.values())
    lines = [_kinds(client, served)]
    if not outside:
        lines += [_program(name, found, served) for name, found in programs.items()]
    lines.append(_package_api(client, served))
    if served:
        lines += _catalogs(client)
    v1 = [_api(_("OLM v1 resource types"), "olm.operatorframework.io/v1", served_v1)]
    if served_v1:
        v1 += [_program(name, found, False) for name in PROGRAMS_V1 if (found := _programs(client, name))]
    return State(
        lines=tuple(lines),
        lines_v1=tuple(v1),
        served=served,
        served_v1=served_v1,
        outside=outside,
        version=_version(client, running),
    )


def _serves(client: ClusterClient, group: str) -> bool:
    return any(type_.group == group for type_ in client.types())


def _api(what: str, name: str, served: bool) -> Check:
    words = _("%(api)s is served.") if served else _("%(api)s isn't served.")
    return Check(what, GOOD if served else ABSENT, words % {"api": name})


def _kinds(client: ClusterClient, served: bool) -> Check:
    what, name = _("OLM resource types"), f"{olm.GROUP}/{olm.VERSION}"
    if served or not olm.kinds_served(client):
        return _api(what, name, served)
    words = _("%(api)s is served, but OLM isn't installed: the custom resource definitions were left behind.")
    return Check(what, ABSENT, words % {"api": name})


def _programs(client: ClusterClient, name: str) -> list[Workload] | KubeError:
    try:
        return [read(obj, Workload) for obj in olm.deployments(client, name)]
    except KubeError as error:
        return error


def _program(name: str, found: list[Workload] | KubeError, wanted: bool) -> Check:
    if isinstance(found, KubeError):
        return Check(name, UNKNOWN, _("You don't have permission to search here: %(words)s") % {"words": found.message})
    if not found:
        return Check(name, BAD if wanted else ABSENT, _("No Deployment with this name exists."))
    deployment = found[0]
    meta = deployment.metadata
    ready, needed = deployment.status.available_replicas, deployment.spec.replicas
    values = {"ready": ready, "wanted": needed, "namespace": meta.namespace, "image": image(deployment)}
    words = _("%(ready)d of %(wanted)d ready in %(namespace)s, %(image)s") % values
    url = page_of("deployments", meta.namespace, meta.name, "apps", "v1")
    return Check(name, GOOD if ready >= needed else BAD, words, url)


def image(deployment: Workload) -> str:
    """Of its first container, without the digest."""
    containers = deployment.spec.pod_spec.containers
    return containers[0].image.partition("@")[0] if containers else ""


def _version(client: ClusterClient, running: list[Workload]) -> str:
    """OLM's version: packageserver's, which is OLM's own; a variable or the tag of an image; '' when nothing tells
    it.
    """
    for place in dict.fromkeys(deployment.metadata.namespace for deployment in running):
        try:
            found = client.get(olm.type_of(client, olm.CSVS), "packageserver", place)
        except KubeError:
            continue
        if version := read(found, ClusterServiceVersion).spec.version:
            return version
    for deployment in running:
        for container in deployment.spec.pod_spec.containers:
            for variable in container.env:
                if variable.name == "RELEASE_VERSION" and variable.value:
                    return variable.value
        tag = image(deployment).rpartition("/")[2].partition(":")[2]
        if tag and tag != "latest":
            return tag
    return ""


def _package_api(client: ClusterClient, wanted: bool) -> Check:
    """The APIService of packageserver: without it there is no catalog."""
    what = _("Package API")
    try:
        found = client.get(
            client.find("apiregistration.k8s.io", "v1", "apiservices"), "v1.packages.operators.coreos.com"
        )
    except NotFound:
        served = _serves(client, olm.PACKAGES_GROUP)
        words = (
            _("packages.operators.coreos.com/v1 is served.")
            if served
            else _("packages.operators.coreos.com/v1 isn't served, so there are no packages.")
        )
        return Check(what, GOOD if served else BAD if wanted else ABSENT, words)
    except KubeError as error:
        return Check(what, UNKNOWN, _("You don't have permission to search here: %(words)s") % {"words": error.message})
    url = page_of("apiservices", "", "v1.packages.operators.coreos.com", "apiregistration.k8s.io", "v1")
    available = condition_of(read(found.get("status"), APIServiceStatus).conditions, "Available")
    if available is None:
        return Check(what, BAD, _("The APIService exists, but doesn't report a status yet."), url)
    good = available.status == "True"
    return Check(what, GOOD if good else BAD, available.message or available.reason, url)


def _catalogs(client: ClusterClient) -> list[Check]:
    try:
        found = client.list(olm.type_of(client, olm.SOURCES), whole=True).items
    except KubeError as error:
        words = _("You don't have permission to search here: %(words)s") % {"words": error.message}
        return [Check("CatalogSources", UNKNOWN, words)]
    if not found:
        return [
            Check(
                "CatalogSources", BAD, _("No catalog exists, so OperatorHub is empty."), reverse("operatorhub:catalog")
            )
        ]
    lines = []
    for obj in found:
        source = read(obj, CatalogSource)
        namespace, name = source.metadata.namespace, source.metadata.name
        state = source.status.connection_state.last_observed_state
        place = f"{namespace}/{name}"
        if not state:
            words = _("%(name)s: not checked yet") % {"name": place}
        elif state in HEALTHY_CATALOG:
            words = f"{place}: {state}"
        else:
            words = f"{place}: {catalogsources.why_not_ready(source.status)}"
        url = page_of(olm.SOURCES, namespace, name)
        lines.append(Check("CatalogSource", GOOD if state == "READY" else BAD, words, url))
    return lines
