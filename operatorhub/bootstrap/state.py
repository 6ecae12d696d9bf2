"""Is OLM there, and is it well? What is looked for, and what was found, one line each; the same for OLM v1."""

from collections.abc import Callable
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.errors import KubeError, NotFound
from kube.objects import KubeObject, name_of, namespace_of
from operatorhub import csv, olm
from operatorhub.running.workloads import page_of

GOOD, BAD, ABSENT, UNKNOWN = "done", "failed", "waiting", "asks"
#: Deployments by name.
PROGRAMS_V1 = ("operator-controller-controller-manager", "catalogd-controller-manager")


@dataclass(frozen=True, slots=True)
class Check:
    """One check. `state`: GOOD, BAD, ABSENT or UNKNOWN (the user can't read it)."""

    what: str
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


def _read(read: Callable[[], list[KubeObject]]) -> list[KubeObject] | KubeError:
    try:
        return read()
    except KubeError as error:
        return error


def _programs(client: ClusterClient, name: str) -> list[KubeObject] | KubeError:
    return _read(lambda: olm.deployments(client, name))


def _program(name: str, found: list[KubeObject] | KubeError, wanted: bool) -> Check:
    if isinstance(found, KubeError):
        return Check(name, UNKNOWN, _("You don't have permission to search here: %(words)s") % {"words": found.message})
    if not found:
        return Check(name, BAD if wanted else ABSENT, _("No Deployment with this name exists."))
    item = found[0]
    status, spec = csv.mapping(item.get("status")), csv.mapping(item.get("spec"))
    ready, needed = int(status.get("availableReplicas", 0) or 0), int(spec.get("replicas", 1) or 0)
    values = {"ready": ready, "wanted": needed, "namespace": namespace_of(item), "image": image(item)}
    words = _("%(ready)d of %(wanted)d ready in %(namespace)s, %(image)s") % values
    return Check(
        name,
        GOOD if ready >= needed else BAD,
        words,
        page_of("deployments", namespace_of(item), name_of(item), "apps", "v1"),
    )


def image(deployment: KubeObject) -> str:
    """Of its first container, without the digest."""
    pod = csv.mapping(csv.mapping(csv.mapping(deployment.get("spec")).get("template")).get("spec"))
    return next((csv.text(item.get("image")) for item in csv.items(pod.get("containers"))), "").partition("@")[0]


def _version(client: ClusterClient, running: list[KubeObject]) -> str:
    """OLM's version: packageserver's, which is OLM's own; a variable or the tag of an image; '' when nothing tells
    it.
    """
    for place in dict.fromkeys(map(namespace_of, running)):
        try:
            found = client.get(olm.type_of(client, olm.CSVS), "packageserver", place)
        except KubeError:
            continue
        if version := csv.text(csv.mapping(found.get("spec")).get("version")):
            return version
    for item in running:
        pod = csv.mapping(csv.mapping(csv.mapping(item.get("spec")).get("template")).get("spec"))
        for container in csv.items(pod.get("containers")):
            for pair in csv.items(container.get("env")):
                if pair.get("name") == "RELEASE_VERSION" and pair.get("value"):
                    return csv.text(pair["value"])
        tag = image(item).rpartition("/")[2].partition(":")[2]
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
    for item in csv.items(csv.mapping(found.get("status")).get("conditions")):
        if item.get("type") == "Available":
            good = item.get("status") == "True"
            return Check(
                what, GOOD if good else BAD, csv.text(item.get("message")) or csv.text(item.get("reason")), url
            )
    return Check(what, BAD, _("The APIService exists, but doesn't report a status yet."), url)


def _catalogs(client: ClusterClient) -> list[Check]:
    found = _read(lambda: client.list(olm.type_of(client, olm.SOURCES), whole=True).items)
    if isinstance(found, KubeError):
        return [
            Check(
                "CatalogSources",
                UNKNOWN,
                _("You don't have permission to search here: %(words)s") % {"words": found.message},
            )
        ]
    if not found:
        return [
            Check(
                "CatalogSources", BAD, _("No catalog exists, so OperatorHub is empty."), reverse("operatorhub:catalog")
            )
        ]
    lines = []
    for item in found:
        state = csv.text(csv.mapping(csv.mapping(item.get("status")).get("connectionState")).get("lastObservedState"))
        place = f"{namespace_of(item)}/{name_of(item)}"
        good = state == "READY"
        words = f"{place}: {state}" if state else _("%(name)s: not checked yet") % {"name": place}
        lines.append(
            Check(
                "CatalogSource", GOOD if good else BAD, words, page_of(olm.SOURCES, namespace_of(item), name_of(item))
            )
        )
    return lines
