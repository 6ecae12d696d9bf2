"""An install as the form, the dry run and the API show it: the choices, the objects they mean, and the conflicts.

The conflicts include kinds that other operators own (by their OperatorGroups' olm.providedAPIs) and CRDs that exist
without an operator. OLM lets only one operator serve a kind in a namespace (InterOperatorGroupOwnerConflict); the
second one's ClusterServiceVersion fails.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.errors import KubeError
from kube.objects import KubeObject
from kube.reader import read
from kube.types.meta import Object
from kube.types.olm import ClusterServiceVersion
from operatorhub import olm
from operatorhub.bundle import contents
from operatorhub.bundle.package import Channel, Description, Manifest
from operatorhub.csv import Api, apis
from operatorhub.install import config, conflicts, situation
from operatorhub.install.choices import Choices, template
from operatorhub.install.choices import read as read_choices
from operatorhub.install.conflicts import InstallConflict, InstallRequest, Remedy
from operatorhub.install.objects import as_kubectl, as_yaml, is_new, notes_of_place, objects
from operatorhub.install.situation import Situation

PROVIDED = "olm.providedAPIs"
#: On a CRD, by OLM: "<namespace>/<csv>" of an operator that brought it.
ALONGSIDE = "operatorframework.io/installed-alongside-"
_MANY = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallDraft:
    """An install that could be made now.

    It can be sent if there are no `errors`. `place_notes`: further notes on its namespace.
    """

    choices: Choices
    objects: tuple[KubeObject, ...]
    conflicts: tuple[InstallConflict, ...]
    creates_namespace: bool
    place_notes: tuple[str, ...] = ()

    @property
    def errors(self) -> Mapping[str, str]:
        """What holds it up, by field; of the conflicts of a field the first."""
        found: dict[str, str] = {}
        for conflict in self.conflicts:
            if conflict.blocks:
                found.setdefault(conflict.field, conflict.words)
        return {**found, **{name: " ".join(map(str, errors)) for name, errors in self.choices.config.errors.items()}}

    @property
    def blocking(self) -> tuple[InstallConflict, ...]:
        return tuple(conflict for conflict in self.conflicts if conflict.blocks)

    @property
    def warnings(self) -> tuple[InstallConflict, ...]:
        return tuple(conflict for conflict in self.conflicts if not conflict.blocks)

    @property
    def ways(self) -> Mapping[str, tuple[Remedy, ...]]:
        """Ways out of what `errors` names, by field."""
        found: dict[str, tuple[Remedy, ...]] = {}
        for conflict in self.blocking:
            found.setdefault(conflict.field, conflict.ways)
        return found

    @property
    def yaml(self) -> str:
        return as_yaml(self.objects)

    @property
    def kubectl(self) -> str:
        return as_kubectl(self.objects)


def make(asked: InstallRequest, client: ClusterClient | None = None) -> InstallDraft:
    """With a `client` the rules that ask the cluster about this one namespace and these kinds are looked at too."""
    if client is not None:
        config.check_schema(client, asked.choices.config)
    choices, found = asked.choices, asked.situation
    found_conflicts = list(conflicts.find(asked))
    if client is not None and "namespace" not in {conflict.field for conflict in found_conflicts}:
        found_conflicts += [*_there(client, asked), *find_owner_conflicts(client, asked)]
    found_conflicts = [
        replace(conflict, ways=_working(client, asked, conflict, found_conflicts)) for conflict in found_conflicts
    ]
    notes = asked.channel.desc.annotations
    made = objects(asked.manifest, notes, choices, found)
    remarks = notes_of_place(found, choices, found_conflicts, template=template(notes))
    return InstallDraft(
        choices=choices,
        objects=made,
        conflicts=tuple(found_conflicts),
        creates_namespace=is_new(choices.namespace, found),
        place_notes=remarks,
    )


def is_possible(manifest: Manifest, channel: Channel, about: Description, found: Situation) -> bool:
    """Whether any choice of mode and namespace can be installed, as far as the situation alone tells."""
    for mode in about.modes:
        chosen = read_choices(
            data=QueryDict(urlencode({"mode": mode})),
            posted=False,
            channel=channel,
            about=about,
            situation=found,
            package=manifest.name,
            picked="",
        )
        asked = InstallRequest(manifest=manifest, channel=channel, about=about, situation=found, choices=chosen)
        tried = make(asked)
        # The watched namespaces aren't chosen yet; a problem with a working remedy doesn't count.
        held_up = [conflict for conflict in tried.blocking if conflict.field != "watch"]
        if all(any(way.url.startswith("?") for way in conflict.ways) for conflict in held_up):
            return True
    return False


def _working(
    client: ClusterClient | None, asked: InstallRequest, conflict: InstallConflict, present: Sequence[InstallConflict]
) -> tuple[Remedy, ...]:
    """The remedies of a conflict that work: tried with the choices that they mean, it is gone and nothing else holds
    the install up instead.

    Remedies that lead to another page are not tried: following a link changes nothing.
    """
    blocked = {other.key for other in present if other.blocks}
    ways = []
    for way in conflict.ways:
        if way.url.startswith("?"):
            left = _conflicts(client, _tried(asked, way))
            if conflict.key in {other.key for other in left}:
                continue
            if {other.key for other in left if other.blocks} - blocked:
                continue
        ways.append(way)
    return tuple(ways)


def _tried(asked: InstallRequest, way: Remedy) -> InstallRequest:
    """What is asked for after a remedy."""
    data, manifest = QueryDict(way.url.removeprefix("?")), asked.manifest
    chosen = read_choices(
        data=data,
        posted=False,
        channel=asked.channel,
        about=asked.about,
        situation=asked.situation,
        package=manifest.name,
        picked="",
    )
    return replace(asked, choices=chosen)


def _conflicts(client: ClusterClient | None, asked: InstallRequest) -> list[InstallConflict]:
    """What the situation tells, and what can only be asked of the cluster, as far as it holds an install up."""
    found = list(conflicts.find(asked))
    if client is not None and "namespace" not in {conflict.field for conflict in found}:
        found += [*_there(client, asked), *blocking_owner_conflicts(client, asked)]
    return found


def _there(client: ClusterClient, asked: InstallRequest) -> list[InstallConflict]:
    """What only the chosen namespace can tell."""
    namespace, manifest = asked.choices.namespace, asked.manifest
    found = []
    if situation.visible(client, (manifest.namespace, manifest.catalog), manifest.name, namespace) is False:
        words = _(
            "The catalog “%(catalog)s” is in the namespace “%(home)s” and can't be used from "
            "“%(namespace)s”. Install the operator in the catalog's namespace, or add the catalog to "
            "the cluster's global namespace."
        ) % {"catalog": manifest.catalog, "home": manifest.namespace, "namespace": namespace}
        way = asked.again(_("Install in %(name)s") % {"name": manifest.namespace}, install_namespace=manifest.namespace)
        found.append(InstallConflict(key="invisible", field="namespace", words=words, ways=(way,)))
    if namespace in asked.situation.namespaces and (plan := situation.waiting_plan(client, namespace)):
        words = _(
            "The InstallPlan “%(plan)s” in “%(namespace)s” is waiting for approval. OLM creates no new "
            "plan there until it is approved or deleted."
        ) % {"plan": plan, "namespace": namespace}
        way = Remedy(_("Review"), reverse("operatorhub:plan", args=[namespace, plan]))
        found.append(InstallConflict(key="waiting-plan", field="namespace", words=words, ways=(way,), blocks=False))
    return found


@dataclass(frozen=True, slots=True)
class KindOwner:
    """An operator that serves a kind: `csv` is '' if the user can't read ClusterServiceVersions there."""

    api: Api
    namespace: str
    csv: str


def find_owner_conflicts(client: ClusterClient, asked: InstallRequest) -> tuple[InstallConflict, ...]:
    """Kinds owned by others, CRDs that OLM would take over, and required kinds without a provider."""
    provided = tuple(_provided(client, asked))
    return (*(conflict for _owner, conflict in provided), *_unowned(client, asked, provided), *_required(client, asked))


def blocking_owner_conflicts(client: ClusterClient, asked: InstallRequest) -> tuple[InstallConflict, ...]:
    """What of it holds an install up: quicker, since nothing is asked of each kind."""
    found = (*(conflict for _owner, conflict in _provided(client, asked)), *_required(client, asked))
    return tuple(conflict for conflict in found if conflict.blocks)


def _provided(client: ClusterClient, asked: InstallRequest) -> Iterator[tuple[KindOwner, InstallConflict]]:
    mine = set(
        olm.group_targets(asked.groups[0]) if len(asked.groups) == 1 else asked.choices.targets or (olm.EVERYWHERE,)
    )
    ours = _own_namespaces(asked)
    for owner in _owners(client, asked):
        if owner.namespace in ours:
            continue  # the same package elsewhere: conflicts.py says that better
        if not _meet(asked, owner.namespace, mine):
            continue
        gvk = f"{owner.api.group}/{owner.api.version} {owner.api.kind}"
        if owner.csv:
            template = _(
                "The operator “%(csv)s” in the namespace “%(namespace)s” already provides %(api)s for the "
                "same namespaces; only one operator can. Uninstall that operator first, or let this "
                "operator watch other namespaces."
            )
            ways: tuple[Remedy, ...] = (
                Remedy(
                    _("Open %(name)s") % {"name": owner.csv},
                    reverse("operatorhub:operator", args=[owner.namespace, owner.csv]),
                ),
            )
        else:
            template = _(
                "An operator in the namespace “%(namespace)s” already provides %(api)s for the same "
                "namespaces; only one operator can. Uninstall that operator first, or let this operator "
                "watch other namespaces."
            )
            ways = (
                Remedy(
                    _("View operators in the namespace"),
                    f"{reverse('operatorhub:installed')}?namespace={owner.namespace}",
                ),
            )
        words = template % {"csv": owner.csv, "namespace": owner.namespace, "api": gvk}
        yield owner, InstallConflict(key="provided", field="package", words=words, ways=ways)


def _own_namespaces(asked: InstallRequest) -> set[str]:
    """Where the same package is installed."""
    return {
        subscription.namespace
        for subscription in asked.situation.subscriptions
        if subscription.package == asked.manifest.name
    }


def _unowned(
    client: ClusterClient, asked: InstallRequest, provided: Iterable[tuple[KindOwner, InstallConflict]]
) -> Iterator[InstallConflict]:
    taken = {owner.api.crd for owner, _conflict in provided}
    kinds = [api for api in asked.about.apis if api.crd not in taken]
    yield from _lying(client, kinds, bool(_own_namespaces(asked)))


def _meet(asked: InstallRequest, namespace: str, mine: set[str]) -> bool:
    groups = asked.situation.groups.get(namespace, ())
    theirs = {target for group in groups for target in olm.group_targets(group)}
    return namespace != asked.choices.namespace and (olm.EVERYWHERE in mine | theirs or bool(mine & theirs))


def _owners(client: ClusterClient, asked: InstallRequest) -> Iterator[KindOwner]:
    """From the groups' annotation, which names all kinds of a group's operators as Kind.version.group."""
    wanted = {(api.kind, api.group): api for api in asked.about.apis}
    for namespace, groups in asked.situation.groups.items():
        found: dict[str, Api] = {}
        for group in groups:
            for kind in _group_kinds(group):
                if api := wanted.get(kind):
                    found[api.crd] = api
        if found:
            names = _named(client, namespace, found)
            yield from (KindOwner(api, namespace, names.get(crd, "")) for crd, api in found.items())


def _named(client: ClusterClient, namespace: str, wanted: Iterable[str]) -> dict[str, str]:
    """CRD → CSV, of the namespace's own operators."""
    try:
        csvs = client.list(olm.type_of(client, olm.CSVS), namespace, labels=f"!{olm.COPIED}").items
    except KubeError:
        return {}
    return {
        api.crd: csv.metadata.name
        for csv in (read(obj, ClusterServiceVersion) for obj in csvs)
        for api in apis(csv.spec.customresourcedefinitions.owned)
        if api.crd in wanted
    }


def _lying(client: ClusterClient, kinds: Iterable[Api], here: bool) -> Iterator[InstallConflict]:
    """CRDs that are there and belong to no operator that is installed: OLM takes them over, objects and all."""
    served = {(type_.group, type_.plural) for type_ in client.types()}
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
        template = (
            _(
                "The CustomResourceDefinition “%(crd)s” and its objects remain from an earlier install "
                "(%(whose)s). This install replaces the definition with its own version."
            )
            if whose
            else _(
                "The CustomResourceDefinition “%(crd)s” already exists and wasn't created by OLM. This "
                "install replaces it. If another program manages its objects, both will."
            )
        )
        yield InstallConflict(
            key="lying",
            field="package",
            words=template % {"crd": api.crd, "whose": whose},
            ways=(Remedy(_("Review"), page),),
            blocks=False,
        )


def _alongside(client: ClusterClient, crd: str) -> str | None:
    """Which operators brought a CRD, '' if none did; None if the user can't read it."""
    try:
        type_ = client.find("apiextensions.k8s.io", "v1", "customresourcedefinitions")
        rows = client.table(type_, fields=f"metadata.name={crd}").rows
    except KubeError:
        return None
    return ", ".join(
        value
        for row in rows
        for key, value in read(row.object, Object).metadata.annotations.items()
        if key.startswith(ALONGSIDE)
    )


def _required(client: ClusterClient, asked: InstallRequest) -> Iterator[InstallConflict]:
    """What the version depends on: OLM installs it along, from a catalog, or nothing offers it.

    OLM looks for an operator in the same namespace or in a catalog. A kind that the cluster serves without an operator
    doesn't satisfy it.
    """
    namespace = asked.choices.namespace
    here = tuple(sub for sub in asked.situation.subscriptions if sub.namespace == namespace)
    provided = {kind for group in asked.groups for kind in _group_kinds(group)}
    needs = [need for need in asked.needs if (need.api_kind, need.group) not in provided]
    for answer in contents.answers(client, needs, here, asked.manifest.namespace):
        need = answer.need
        if need.kind == "other" or (answer.there and (need.kind != "api" or answer.offers)):
            continue
        if answer.offers:
            template = (
                _("The operator requires %(need)s. OLM also installs an operator that provides it: %(packages)s.")
                if answer.automatic
                else _("The operator requires %(need)s. First install an operator that provides it: %(packages)s.")
            )
            names = ", ".join(dict.fromkeys(offer.package for offer in answer.offers))
            yield InstallConflict(
                key="dependency",
                field="package",
                words=template % {"need": need.name, "packages": names},
                ways=(),
                blocks=False,
            )
            continue
        if answer.there:
            key, template = (
                "unmanaged",
                _(
                    "The operator requires %(need)s. The cluster serves that resource type, but no catalog here "
                    "has an operator for it, so OLM can reject the install (ResolutionFailed)."
                ),
            )
        else:
            key, template = (
                "required",
                _(
                    "The operator requires %(need)s, which neither this cluster nor its catalogs provide, so "
                    "the installation can't succeed. First add a catalog that provides it."
                ),
            )
        words = need.api_kind or need.package
        way = Remedy(
            _("Search for %(kind)s") % {"kind": words}, f"{reverse('operatorhub:catalog')}?{urlencode({'q': words})}"
        )
        yield InstallConflict(key=key, field="package", words=template % {"need": need.name}, ways=(way,), blocks=False)


def _group_kinds(group: KubeObject) -> Iterator[tuple[str, str]]:
    """(kind, group) of what the operators of an OperatorGroup's namespace provide, which OLM notes as
    Kind.version.group.
    """
    for name in read(group, Object).metadata.annotations.get(PROVIDED, "").split(","):
        kind, _dot, rest = name.partition(".")
        yield kind, rest.partition(".")[2]
