"""What comes next: the object that the author wants made first, what can be made besides, once the cluster serves
the kinds.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from console.web.access import refusal
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError, NotFound
from kube.objects import name_of
from operatorhub import csv, olm
from operatorhub.csv import Api
from operatorhub.progress.facts import InstallFacts
from resources.types import kind_versions

LINK = "operatorframework.io/initialization-link"


@dataclass(frozen=True, slots=True)
class NextStep:
    """A kind to make an object of.

    `url`: '' while the cluster doesn't serve it yet, or if the user can't create it (`refused` says why).
    """

    api: Api
    url: str
    served: bool
    refused: str = ""


@dataclass(frozen=True, slots=True)
class After:
    """`required`: the initialization resource, None where there is none or it is there; `link`: the author's own
    page.
    """

    required: NextStep | None
    kinds: tuple[NextStep, ...]
    link: str

    @property
    def first(self) -> NextStep | None:
        """What to create now: what the author requires, else the first kind."""
        return self.required or next(iter(self.kinds), None)

    @property
    def waits(self) -> bool:
        """True while a kind isn't served yet: the page polls."""
        return any(not kind.served for kind in (*self.kinds, *((self.required,) if self.required else ())))


def read(client: ClusterClient, facts: InstallFacts) -> After | None:
    """None until the operator runs."""
    if facts.csv is None or facts.phase != olm.SUCCEEDED:
        return None
    spec = csv.mapping(facts.csv.get("spec"))
    notes = csv.mapping(csv.mapping(facts.csv.get("metadata")).get("annotations"))
    groups = facts.groups or ()
    targets = olm.group_targets(groups[0]) if len(groups) == 1 else ()
    place = facts.subscription.namespace
    if targets and olm.EVERYWHERE not in targets and place not in targets:
        place = targets[0]
    first = csv.initialization(notes) or {}
    link = csv.text(notes.get(LINK))
    return After(
        _required(client, first, place),
        tuple(_step(client, _in_use(client, api), place) for api in csv.provided(spec, notes)),
        link if link.startswith(("https://", "http://")) else "",
    )


def _anew(client: ClusterClient, look: Callable[[], ResourceType]) -> ResourceType | None:
    """Repeats the discovery if it is missing: its CRD may be new."""
    for fresh in (False, True):
        if fresh:
            client.forget_types()
        try:
            return look()
        except NotFound:
            continue
    return None


def _in_use(client: ClusterClient, api: Api) -> Api:
    """In the version to use, where the cluster serves the kind."""
    type_ = kind_versions.preferred_type(client, api.group, api.plural)
    return replace(api, version=type_.version) if type_ else api


def _step(client: ClusterClient, api: Api, namespace: str, start: str = "") -> NextStep:
    type_ = _anew(client, lambda: client.find(api.group, api.version, api.plural))
    if type_ is None:
        return NextStep(api, "", False)
    place = namespace if type_.namespaced else ""
    if refused := refusal(client, "create", type_, place):
        return NextStep(api, "", True, refused)
    query = {**({"namespace": place} if place else {}), **({"start": f"example:{start}"} if start else {})}
    page = reverse("resources:new", args=[type_.group_or_core, type_.version, type_.plural])
    return NextStep(api, f"{page}?{urlencode(query)}" if query else page, True)


def _required(client: ClusterClient, wanted: Mapping[str, Any], namespace: str) -> NextStep | None:
    """The author's first object, unless one of its kind is there already."""
    group, _slash, version = csv.text(wanted.get("apiVersion")).rpartition("/")
    kind = csv.text(wanted.get("kind"))
    if not kind:
        return None
    try:
        client_type = _anew(client, lambda: client.find_kind(group, kind, version))
    except KubeError:
        client_type = None
    if client_type is None:
        return NextStep(Api(group=group, version=version, plural="", kind=kind, title=kind), "", False)
    try:
        if client.table(client_type, limit=1, include="None").rows:
            return None
    except KubeError:
        pass  # users who can't list them get the card too
    name = name_of(dict(wanted)) or kind.lower()
    own = csv.text(csv.mapping(wanted.get("metadata")).get("namespace")) or namespace
    return _step(
        client,
        Api(group=group, version=client_type.version, plural=client_type.plural, kind=kind, title=kind),
        own,
        name,
    )
