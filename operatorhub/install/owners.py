"""Who has the operator's kinds already: other operators (by their OperatorGroups' olm.providedAPIs), and CRDs that lie there without one.

OLM lets one operator alone serve a kind in a namespace (InterOperatorGroupOwnerConflict); the second one's ClusterServiceVersion fails.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.errors import KubeError
from kube.objects import name_of
from operatorhub import olm
from operatorhub.bundle import bundles
from operatorhub.csv import Api, apis, mapping, text
from operatorhub.install.conflicts import Asked, Conflict, Way
from operatorhub.models import Package

PROVIDED = "olm.providedAPIs"
#: On a CRD, by OLM: "<namespace>/<csv>" of an operator that brought it.
ALONGSIDE = "operatorframework.io/installed-alongside-"
_MANY = 12


@dataclass(frozen=True, slots=True)
class Owner:
    """An operator that serves a kind: `csv` is '' when its ClusterServiceVersions may not be read."""

    api: Api
    namespace: str
    csv: str


def find(client: ClusterClient, asked: Asked) -> tuple[Conflict, ...]:
    """Kinds owned by others, CRDs that OLM would take over, and required kinds that nobody provides."""
    return (*_owned(client, asked), *_required(client, asked))


def _owned(client: ClusterClient, asked: Asked) -> Iterator[Conflict]:
    mine = set(
        olm.group_targets(asked.groups[0]) if len(asked.groups) == 1 else asked.choices.targets or (olm.EVERYWHERE,)
    )
    ours = {one.namespace for one in asked.situation.subscriptions if one.package == asked.manifest.name}
    taken: set[str] = set()
    for owner in _owners(client, asked):
        if owner.namespace in ours:
            continue  # the same package elsewhere: conflicts.py says that better
        if not _meet(asked, owner.namespace, mine):
            continue
        taken.add(owner.api.crd)
        gvk = f"{owner.api.group}/{owner.api.version} {owner.api.kind}"
        if owner.csv:
            told = _("The operator “%(csv)s” of the namespace “%(namespace)s” provides %(api)s already for the same namespaces, and two may not. Uninstall that one first, or let this one watch other namespaces.")  # fmt: skip
            ways: tuple[Way, ...] = (Way(_("Open %(name)s") % {"name": owner.csv}, reverse("operatorhub:operator", args=[owner.namespace, owner.csv])),)  # fmt: skip
        else:
            told = _("An operator of the namespace “%(namespace)s” provides %(api)s already for the same namespaces, and two may not. Uninstall that one first, or let this one watch other namespaces.")  # fmt: skip
            ways = (
                Way(_("Its namespace's operators"), f"{reverse('operatorhub:installed')}?namespace={owner.namespace}"),
            )
        words = told % {"csv": owner.csv, "namespace": owner.namespace, "api": gvk}
        yield Conflict("provided", "package", words, ways)
    yield from _lying(client, [api for api in asked.about.apis if api.crd not in taken], bool(ours))


def _meet(asked: Asked, namespace: str, mine: set[str]) -> bool:
    groups = asked.situation.groups.get(namespace, ())
    theirs = {one for group in groups for one in olm.group_targets(group)}
    return namespace != asked.choices.namespace and (olm.EVERYWHERE in mine | theirs or bool(mine & theirs))


def _owners(client: ClusterClient, asked: Asked) -> Iterator[Owner]:
    """From the groups' annotation, which names all kinds of a group's operators as Kind.version.group."""
    wanted = {(api.kind, api.group): api for api in asked.about.apis}
    for namespace, groups in asked.situation.groups.items():
        found: dict[str, Api] = {}
        for group in groups:
            notes = mapping(mapping(group.get("metadata")).get("annotations"))
            for one in text(notes.get(PROVIDED)).split(","):
                kind, _dot, rest = one.partition(".")
                api = wanted.get((kind, rest.partition(".")[2]))
                if api:
                    found[api.crd] = api
        if found:
            names = _named(client, namespace, found)
            yield from (Owner(api, namespace, names.get(crd, "")) for crd, api in found.items())


def _named(client: ClusterClient, namespace: str, wanted: Iterable[str]) -> dict[str, str]:
    """CRD → CSV, of the namespace's own operators."""
    try:
        csvs = client.list(olm.type_of(client, olm.CSVS), namespace, labels=f"!{olm.COPIED}").items
    except KubeError:
        return {}
    return {
        api.crd: name_of(one)
        for one in csvs
        for api in apis(mapping(one.get("spec")).get("customresourcedefinitions"))
        if api.crd in wanted
    }


def _lying(client: ClusterClient, kinds: Iterable[Api], here: bool) -> Iterator[Conflict]:
    """CRDs that are there and belong to no operator that is installed: OLM takes them over, objects and all."""
    served = {(one.group, one.plural) for one in client.types()}
    found = [api for api in kinds if (api.group, api.plural) in served]
    if not found or here:
        return
    for api in found[:_MANY]:
        whose = _alongside(client, api.crd)
        if whose is None:
            continue
        page = reverse(
            "resources:detail", args=["apiextensions.k8s.io", "v1", "customresourcedefinitions", "-", api.crd]
        )
        told = (
            _("The CustomResourceDefinition “%(crd)s” is there from an earlier install (%(whose)s), with its objects. This install takes it over and brings it to its own version.")
            if whose
            else _("The CustomResourceDefinition “%(crd)s” is there, and OLM did not make it. This install takes it over: if another program serves it, both will.")
        )  # fmt: skip
        yield Conflict(
            "lying", "package", told % {"crd": api.crd, "whose": whose}, (Way(_("Look at it"), page),), blocks=False
        )


def _alongside(client: ClusterClient, crd: str) -> str | None:
    """Which operators brought a CRD, '' when none did; None when it may not be read."""
    try:
        type_ = client.find("apiextensions.k8s.io", "v1", "customresourcedefinitions")
        rows = client.table(type_, fields=f"metadata.name={crd}").rows
    except KubeError:
        return None
    notes = [mapping(mapping(row.object.get("metadata")).get("annotations")) for row in rows]
    return ", ".join(text(value) for one in notes for key, value in one.items() if key.startswith(ALONGSIDE))


def _required(client: ClusterClient, asked: Asked) -> Iterator[Conflict]:
    """Kinds that it needs: there, or to be had from a catalog (OLM installs that operator with it), or from nobody."""
    served = {(one.group, one.plural) for one in client.types()}
    missing = [api for api in asked.about.required if (api.group, api.plural) not in served]
    if not missing:
        return
    offers = _offers(client, {api.crd for api in missing})
    for api in missing:
        packages = offers.get(api.crd, ())
        gvk = f"{api.group}/{api.version} {api.kind}"
        if packages:
            told = _(
                "It needs %(api)s, which this cluster does not have. OLM installs an operator that provides it too: %(packages)s."
            )
            yield Conflict(
                "dependency", "package", told % {"api": gvk, "packages": ", ".join(packages)}, (), blocks=False
            )
        else:
            told = _("It needs %(api)s, which neither this cluster nor any catalog provides: OLM will refuse it (ResolutionFailed), or wait for it. Find the operator that brings it first.")  # fmt: skip
            way = Way(_("Search for %(kind)s") % {"kind": api.kind}, f"{reverse('operatorhub:catalog')}?q={api.kind}")
            yield Conflict("required", "package", told % {"api": gvk}, (way,), blocks=False)


def _offers(client: ClusterClient, crds: set[str]) -> dict[str, tuple[str, ...]]:
    """CRD → packages of the index that provide it, of the catalogs that a person may see."""
    found: dict[str, tuple[str, ...]] = {}
    rows = Package.objects.filter(cluster=client.name).values_list("name", "crds", "namespace")
    hidden: set[str] = set()
    if client.config.session:
        hidden = {place for place in {row[2] for row in rows} if not bundles.visible(client, place)}
    for name, provided, place in rows:
        for crd in crds & set(provided) if place not in hidden else ():
            found[crd] = tuple(dict.fromkeys((*found.get(crd, ()), name)))
    return found
