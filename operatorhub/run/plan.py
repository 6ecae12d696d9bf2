"""A bundle run: the choices, the exact objects, the conflicts in this cluster, and the creation of the objects.

Everything that did not exist before gets the label `operator-console.dev/run-bundle=<package>.<namespace>`, and only
that: what was there is changed to the bundle's version, as OLM does, but never labelled, so that removing a run never
deletes objects that it didn't create.

Objects are created by server-side apply, each with a result of its own: a run can be repeated, and what failed can be
sent again. CustomResourceDefinitions are taken over from other field managers. Then the CSV becomes the owner of the
operator's objects, as an InstallPlan does.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import Forbidden, KubeError, NotFound
from kube.objects import KubeObject, mapping, name_of, namespace_of
from kube.reader import read
from kube.types.extensions import CustomResourceDefinitionSpec
from kube.types.meta import Object, ObjectMeta
from kube.types.olm import ClusterServiceVersion, CSVDescription
from operatorhub import direct, olm
from operatorhub.bundle.bundles import Bundle
from operatorhub.csv import apis, install_modes
from operatorhub.install.choices import LABEL as NAMESPACE_NAME
from operatorhub.install.situation import Situation
from operatorhub.upgrade.plan_check import examine
from resources import yamltext
from resources.forms.errors import node_of
from resources.forms.schema import Schema
from resources.imports import Document, Import, Result

RUN = "operator-console.dev/run-bundle"
SOURCE = "operator-console.dev/run-bundle-source"
ALL, OWN, SINGLE, MULTI = "AllNamespaces", "OwnNamespace", "SingleNamespace", "MultiNamespace"
#: Characters that are put into a command line as they are; more belong into a file.
_SHORT = 40_000
#: Objects of a kind that are checked, and those that are reported.
_MAX_CHECKED_OBJECTS, _MAX_REPORTED_OBJECTS = 200, 5
#: Kinds that don't get the CSV as their owner.
_KINDS_WITHOUT_OWNER = ("Namespace", "OperatorGroup", "ClusterServiceVersion", "Subscription")
#: Called with an object's name in the audit log and the outcome.
Done = Callable[[str, str], None]


@dataclass(frozen=True, slots=True)
class RunChoice:
    """`watch`: the namespaces of SingleNamespace and MultiNamespace."""

    namespace: str
    mode: str
    watch: tuple[str, ...] = ()

    @property
    def targets(self) -> tuple[str, ...]:
        return {ALL: (), OWN: (self.namespace,)}.get(self.mode, self.watch)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """`objects` as they are sent, labelled; `present`: those that are there already ("Kind name"); `replaces`: the
    CSV that this one upgrades.
    """

    bundle: Bundle
    choice: RunChoice
    objects: tuple[KubeObject, ...]
    errors: tuple[str, ...]
    warnings: tuple[str, ...]
    present: frozenset[str] = frozenset()
    replaces: str = ""

    @property
    def name(self) -> str:
        """Of the run: the value of the label."""
        return run_name(self.bundle.package, self.choice.namespace)

    @property
    def yaml(self) -> str:
        return "---\n".join(yamltext.dump(item) for item in self.objects)

    @property
    def kubectl(self) -> str:
        written = self.yaml
        short = len(written) <= _SHORT
        return (
            f"kubectl apply --server-side -f - <<'EOF'\n{written}EOF"
            if short
            else f"kubectl apply --server-side -f {self.bundle.name}.yaml"
        )


def run_name(package: str, namespace: str) -> str:
    """A label's value: 63 characters, as OLM names its Operators."""
    return f"{package}.{namespace}"[:63].rstrip("-._")


def modes(bundle: Bundle) -> tuple[str, ...]:
    return install_modes(read(bundle.csv.get("spec"), CSVDescription).install_modes)


def suggested(bundle: Bundle, situation: Situation, picked: str) -> RunChoice:
    """What to begin with: the author's namespace, else the picked one, else a new one named as the package; its own
    namespace before all.
    """
    annotations = read(bundle.csv.get("metadata"), ObjectMeta).annotations
    from_author = annotations.get("operatorframework.io/suggested-namespace", "").strip()
    namespace = (
        from_author if NAMESPACE_NAME.fullmatch(from_author) else picked or bundle.package[:63].replace(".", "-")
    )
    groups, offered = situation.groups.get(namespace, ()), modes(bundle)
    if len(groups) == 1 and (present := olm.group_modes(groups[0], namespace)) in offered:
        return RunChoice(namespace, present, tuple(olm.group_targets(groups[0])) if present in (SINGLE, MULTI) else ())
    mode = OWN if OWN in offered else offered[0] if offered else ALL
    return RunChoice(namespace, mode)


def plan(client: ClusterClient, bundle: Bundle, choice: RunChoice, situation: Situation, place: str = "") -> RunPlan:
    """The objects of a run and the problems with it.

    Checks that need unreadable objects are left to the API server.
    """
    errors, warnings = [*_choice_errors(bundle, choice, situation)], []
    csvs = (
        _csvs(client, choice.namespace)
        if choice.namespace in situation.namespaces or "namespaces" in situation.unread
        else []
    )
    replaces, found = _installed(bundle, choice, situation, csvs)
    errors += found
    objects: list[KubeObject] = []
    if choice.namespace and choice.namespace not in situation.namespaces and "namespaces" not in situation.unread:
        objects.append({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": choice.namespace}})
    if not situation.groups.get(choice.namespace):
        objects.append(direct.group(choice.namespace, choice.targets))
    objects += direct.objects(bundle, choice.namespace, replaces=replaces)
    present = _present(client, objects)
    warnings += [
        *_owners(client, bundle, choice, csvs),
        *_taken(objects, present),
        *_required(client, bundle),
        *_invalid_objects(client, bundle),
    ]
    labelled = tuple(_labelled(item, bundle, choice, present, place) for item in objects)
    return RunPlan(
        bundle=bundle,
        choice=choice,
        objects=labelled,
        errors=tuple(errors),
        warnings=tuple(warnings),
        present=present,
        replaces=replaces,
    )


def title(obj: KubeObject) -> str:
    return f"{obj['kind']} {name_of(obj)}"


def _choice_errors(bundle: Bundle, choice: RunChoice, situation: Situation) -> Iterator[str]:
    name, offered = choice.namespace, modes(bundle)
    if not NAMESPACE_NAME.fullmatch(name):
        yield _(
            "Choose a namespace, or type the name of a new one: lowercase letters, digits and hyphens, "
            "at most 63 characters."
        )
    elif situation.namespaces.get(name) == "Terminating":
        yield _("The namespace “%(name)s” is being deleted. Select another namespace, or wait until it is deleted.") % {
            "name": name
        }
    if choice.mode not in offered:
        yield _("This install mode isn't supported. The operator supports: %(modes)s.") % {
            "modes": ", ".join(offered) or "–"
        }
    if choice.mode == SINGLE and len(choice.watch) != 1:
        yield _("Choose the namespace to watch.")
    if choice.mode == MULTI and len(choice.watch) < 2:
        yield _("Choose at least two namespaces to watch.")
    groups = situation.groups.get(name, ())
    if len(groups) > 1:
        values = {"name": name, "groups": ", ".join(map(name_of, groups))}
        yield (
            _(
                "“%(name)s” has more than one OperatorGroup (%(groups)s): OLM installs nothing there. Delete all but"
                " one."
            )
            % values
        )
    elif groups and (present := olm.group_modes(groups[0], name)) != choice.mode:
        values = {"group": name_of(groups[0]), "name": name, "mode": present}
        yield (
            _(
                "The OperatorGroup “%(group)s” in “%(name)s” uses the install mode %(mode)s. Choose that "
                "mode, or another namespace."
            )
            % values
        )


def _csvs(client: ClusterClient, namespace: str) -> list[ClusterServiceVersion]:
    try:
        return _originals(client.list(olm.type_of(client, olm.CSVS), namespace).items)
    except KubeError:
        return []


def _originals(csvs: list[KubeObject]) -> list[ClusterServiceVersion]:
    return [read(csv, ClusterServiceVersion) for csv in csvs if not olm.copied(csv)]


def _installed(
    bundle: Bundle, choice: RunChoice, situation: Situation, csvs: list[ClusterServiceVersion]
) -> tuple[str, list[str]]:
    """(the CSV that is replaced, errors).

    An operator that a Subscription follows is upgraded through that, or OLM would undo it.
    """
    for subscription in situation.subscriptions:
        if subscription.namespace == choice.namespace and subscription.package == bundle.package:
            values = {"namespace": subscription.namespace, "name": subscription.name}
            return "", [
                _(
                    "The Subscription “%(name)s” already manages this operator in “%(namespace)s”. Upgrade or "
                    "uninstall the operator there, or choose another namespace."
                )
                % values
            ]
    run = run_name(bundle.package, choice.namespace)
    mine = [csv for csv in csvs if csv.metadata.labels.get(RUN) == run]
    replaced = {csv.spec.replaces for csv in mine}
    current = next((csv for csv in mine if csv.metadata.name not in replaced), None)
    if current is not None and current.metadata.name != bundle.name:
        return current.metadata.name, []
    if current is None and any(csv.metadata.name == bundle.name for csv in csvs):
        return "", [
            _("“%(name)s” is already installed in “%(namespace)s”.")
            % {
                "name": bundle.name,
                "namespace": choice.namespace,
            }
        ]
    # Run once more: with what it took the place of the first time.
    return (current.spec.replaces if current is not None else ""), []


def _present(client: ClusterClient, objects: list[KubeObject]) -> frozenset[str]:
    """Those that existed before. Reads tables, so as not to fetch a CRD of 800 KB just to see that it exists."""
    found = set()
    for obj in objects:
        try:
            type_ = client.type_of(obj)
            place = namespace_of(obj) if type_.namespaced else ""
            rows = client.table(type_, place, fields=f"metadata.name={name_of(obj)}").rows
        except KubeError:
            continue
        if rows and RUN not in read(rows[0].object.get("metadata"), ObjectMeta).labels:
            found.add(title(obj))
    return frozenset(found)


def _labelled(obj: KubeObject, bundle: Bundle, choice: RunChoice, present: frozenset[str], place: str) -> KubeObject:
    if title(obj) in present:
        return obj
    meta: dict[str, Any] = dict(obj["metadata"])
    meta["labels"] = {**mapping(meta.get("labels")), RUN: run_name(bundle.package, choice.namespace)}
    if obj["kind"] == "ClusterServiceVersion" and place:
        meta["annotations"] = {**mapping(meta.get("annotations")), SOURCE: place[:500]}
    return {**obj, "metadata": meta}


def _owners(
    client: ClusterClient, bundle: Bundle, choice: RunChoice, here: list[ClusterServiceVersion]
) -> Iterator[str]:
    """Other operators that have the same kinds: OLM refuses the later one where both watch the same namespaces."""
    mine = _owned_crds(read(bundle.csv.get("spec"), CSVDescription))
    try:
        everywhere = _originals(client.list(olm.type_of(client, olm.CSVS), labels=f"!{olm.COPIED}").items)
    except (Forbidden, NotFound):
        everywhere = here
    run = run_name(bundle.package, choice.namespace)
    for csv in everywhere:
        common = sorted(mine & _owned_crds(csv.spec))
        if common and csv.metadata.labels.get(RUN) != run:
            values = {"csv": csv.metadata.name, "namespace": csv.metadata.namespace, "crd": common[0]}
            yield (
                _(
                    "“%(csv)s” in “%(namespace)s” also owns %(crd)s. If both watch the same namespaces, OLM "
                    "marks the newer operator as failed; the CustomResourceDefinition changes to this bundle's "
                    "version for both."
                )
                % values
            )


def _owned_crds(csv: CSVDescription) -> set[str]:
    return {api.crd for api in apis(csv.customresourcedefinitions.owned)}


def _taken(objects: list[KubeObject], present: frozenset[str]) -> Iterator[str]:
    crds = [name_of(item) for item in objects if item["kind"] == "CustomResourceDefinition" and title(item) in present]
    for name in crds:
        yield _(
            "%(crd)s already exists. It is changed to this bundle's version, and remains when the "
            "bundle run is removed."
        ) % {"crd": name}


def _required(client: ClusterClient, bundle: Bundle) -> Iterator[str]:
    """Kinds that it needs from others: a run resolves no dependencies."""
    served = {(type_.group, type_.plural) for type_ in client.types()}
    for api in apis(read(bundle.csv.get("spec"), CSVDescription).customresourcedefinitions.required):
        if (api.group, api.plural) not in served:
            yield _(
                "The bundle requires the resource type %(kind)s (%(crd)s), which this cluster doesn't have. "
                "OLM waits for it."
            ) % {
                "kind": api.kind,
                "crd": api.crd,
            }


def _invalid_objects(client: ClusterClient, bundle: Bundle) -> Iterator[str]:
    """Objects in the cluster that don't match the bundle's CustomResourceDefinitions.

    One sentence for each of the first, and one for the rest. Kinds that can't be read are skipped.

    OLM's InstallPlan refuses such a definition. A run applies it, as the API server allows: the objects stay readable,
    but can't be changed until they match.
    """
    found = [words for crd in bundle.crds for words in _invalid_objects_of(client, crd)]
    yield from found[:_MAX_REPORTED_OBJECTS]
    if (more := len(found) - _MAX_REPORTED_OBJECTS) > 0:
        words = ngettext("%(n)d more object doesn't match either.", "%(n)d more objects don't match either.", more)
        yield words % {"n": more}


def _invalid_objects_of(client: ClusterClient, crd: Mapping[str, Any]) -> Iterator[str]:
    spec = read(crd.get("spec"), CustomResourceDefinitionSpec)
    schemas = {f"{spec.group}/{version.name}": version.schema.open_api_v3_schema for version in spec.versions}
    try:
        objects = client.list(client.find(spec.group, "", spec.names.plural), limit=_MAX_CHECKED_OBJECTS).items
    except KubeError:
        return
    for obj in objects:
        head = read(obj, Object)
        node = node_of(Schema.from_document(schemas.get(head.api_version)))
        causes = examine(node, obj) if node is not None else None
        if causes is not None:
            place = f"{head.metadata.namespace}/{head.metadata.name}".strip("/")
            values = {"kind": head.kind, "name": place, "why": causes[0][0]}
            yield (
                _("%(kind)s %(name)s doesn't match the bundle's schema: %(why)s. It can't be changed until it does.")
                % values
            )


class _Run(Import):
    """As an import of many documents, but CRDs and objects with the run's label are taken over from other field
    managers.
    """

    def applied(self, type_: ResourceType, name: str, obj: KubeObject, namespace: str) -> KubeObject:
        # Of what the run itself made OLM may have written fields since.
        force = type_.plural == "customresourcedefinitions" or RUN in (obj["metadata"].get("labels") or {})
        return self.client.patch(type_, name, obj, namespace, style="apply", dry_run=self.dry_run, force=force)


def create_objects(client: ClusterClient, wanted: RunPlan, *, dry_run: bool) -> tuple[Result, ...]:
    """The results in the plan's order. A dry run says "waits" of what needs a namespace or kind of the same run."""
    documents = tuple(Document(number, 0, item) for number, item in enumerate(wanted.objects, 1))
    return _Run(client, wanted.choice.namespace, True, dry_run).run(documents)


def hand_over(client: ClusterClient, results: tuple[Result, ...], done: Done) -> None:
    """Add owner references to the CSV on all objects in its namespace, so that they are deleted with it."""
    csv = next(
        (result.made for result in results if result.document.kind == "ClusterServiceVersion" and result.made), None
    )
    if csv is None:
        return
    reference = {
        "apiVersion": csv["apiVersion"],
        "kind": csv["kind"],
        "name": name_of(csv),
        "uid": csv["metadata"]["uid"],
        "controller": False,
        "blockOwnerDeletion": False,
    }
    for outcome in results:
        if (
            outcome.made is None
            or outcome.type is None
            or not outcome.type.namespaced
            or outcome.document.kind in _KINDS_WITHOUT_OWNER
        ):
            continue
        present = outcome.made["metadata"].get("ownerReferences") or []
        if any(each.get("uid") == reference["uid"] for each in present):
            continue
        place = (
            f"{outcome.type.group_or_core}/{outcome.type.version}/{outcome.type.plural}"
            f" {namespace_of(outcome.made)}/{name_of(outcome.made)}"
        )
        try:
            patch = {"metadata": {"ownerReferences": [*present, reference]}}
            client.patch(outcome.type, name_of(outcome.made), patch, namespace_of(outcome.made))
        except KubeError as error:
            done(place, error.reason)
