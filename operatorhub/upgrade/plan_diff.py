"""What carrying out an InstallPlan would change: of each operator its rights, images and kinds, against what is in
the cluster now; in words and as YAML.

OLM itself compares nothing. Here every step's manifest is held against the object of that name; CRDs by
operatorhub/upgrade/schema_diff.py, rights by permissions.py.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from console.web.front import Workers
from kube.client import ClusterClient
from kube.errors import KubeError, NotFound
from kube.objects import KubeObject, mapping
from kube.reader import read
from kube.types.extensions import CustomResourceDefinition
from kube.types.meta import Object
from kube.types.olm import ClusterServiceVersion, ClusterServiceVersionSpec
from operatorhub import olm
from operatorhub.bundle import contents, permissions
from operatorhub.bundle.permissions import Right
from operatorhub.running import installed_operators
from operatorhub.upgrade import schema_diff
from operatorhub.upgrade.plans import MADE_OF_CSV, InstallPlan, PlanStep, steps
from operatorhub.upgrade.schema_diff import SchemaDiff
from resources.writing.review import Review, review

CRD = "CustomResourceDefinition"
CSV = "ClusterServiceVersion"
#: Steps that are compared with the cluster, of one plan.
_COMPARED = 300
_workers = Workers(6, thread_name_prefix="plan")
#: Texts of a CSV that say nothing about what it does, and fill pages.
_TALK = ("icon", "description")
_NOTES = (
    "alm-examples",
    "operatorframework.io/properties",
    "createdAt",
    "olm.operatorGroup",
    "olm.operatorNamespace",
    "olm.targetNamespaces",
)


@dataclass(frozen=True, slots=True)
class ImageChange:
    """One container. '' where it is not there before or afterwards."""

    deployment: str
    container: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Crd:
    """`diff`: None for a new one; `same`: it is there already, and equal; `conversion`: its versions are converted
    by a webhook, so that OLM only warns.
    """

    step: PlanStep
    diff: SchemaDiff | None
    same: bool = False
    conversion: bool = False


@dataclass(frozen=True, slots=True)
class Other:
    """Any other object. `what`: new, changed, same, taken (made of the CSV) or unknown, with `words` for the last."""

    step: PlanStep
    what: str
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorChange:
    """One operator of the plan. `old`: the CSV that it replaces, '' for a fresh install."""

    csv: str
    title: str
    version: str
    old: str
    old_version: str
    added: tuple[Right, ...]
    removed: tuple[Right, ...]
    level: str
    images: tuple[ImageChange, ...]
    crds: tuple[Crd, ...]
    others: tuple[Other, ...]
    gap: str = ""

    @property
    def dangers(self) -> tuple[Right, ...]:
        return tuple(right for right in self.added if right.danger)


def changes(client: ClusterClient, plan: InstallPlan) -> tuple[OperatorChange, ...]:
    """Of every operator that the plan carries. Read errors are part of the result, not raised."""
    every = steps(client, plan)
    old = _replaced(client, plan)
    names = dict.fromkeys((*plan.csvs, *(step.resolving for step in every)))
    return tuple(
        _operator(client, plan, name, [step for step in every if step.resolving == name], old.get(name, ""))
        for name in names
    )


def _replaced(client: ClusterClient, plan: InstallPlan) -> Mapping[str, str]:
    """The installed CSVs by the name of the one that takes their place, as Subscriptions tell."""
    subs = installed_operators.subscriptions(client, plan.namespace)
    return {
        sub.current_csv: sub.installed_csv for sub in subs if sub.installed_csv and sub.current_csv != sub.installed_csv
    }


def _operator(client: ClusterClient, plan: InstallPlan, name: str, own: list[PlanStep], known: str) -> OperatorChange:
    step = next((candidate for candidate in own if candidate.kind == CSV), None)
    new = step.manifest if step and step.manifest else {}
    spec = read(new, ClusterServiceVersion).spec
    old_name = known or spec.replaces
    old = _get(client, olm.GROUP, CSV, old_name, plan.namespace)[0] if old_name else None
    old_spec = read(old, ClusterServiceVersion).spec
    added, removed = permissions.diff(old or {}, new)
    gap = "" if new or not own else (step.gap if step else _("The plan doesn't contain the ClusterServiceVersion."))
    compared = list(
        _workers.map(
            lambda item: _other(client, plan, item),
            [own_step for own_step in own if own_step.kind not in (CSV, CRD)][:_COMPARED],
        )
    )
    return OperatorChange(
        csv=name,
        title=spec.display_name or name,
        version=spec.version,
        old=old_name if old else "",
        old_version=old_spec.version,
        added=added,
        removed=removed if old else (),
        level=permissions.level(permissions.asked(new)),
        images=tuple(images(old_spec, spec)) if new else (),
        crds=tuple(_crd(client, own_step) for own_step in own if own_step.kind == CRD),
        others=tuple(compared),
        gap=gap,
    )


def images(old: ClusterServiceVersionSpec, new: ClusterServiceVersionSpec) -> Iterator[ImageChange]:
    """Containers whose image changes, that are new, or that go."""
    before, after = _images(old), _images(new)
    for place in dict.fromkeys((*after, *before)):
        old_image, new_image = before.get(place, ""), after.get(place, "")
        if old_image != new_image:
            yield ImageChange(*place, old_image, new_image)


def _images(spec: ClusterServiceVersionSpec) -> dict[tuple[str, str], str]:
    """By (deployment, container) of a CSV's install strategy."""
    return {(deployment, container.name): container.image for deployment, container in contents.containers(spec)}


def _crd(client: ClusterClient, step: PlanStep) -> Crd:
    if step.manifest is None:
        return Crd(step, None)
    live, _gap = _get(client, "apiextensions.k8s.io", CRD, step.name, "")
    new = read(step.manifest, CustomResourceDefinition)
    by_webhook = new.spec.conversion.strategy == "Webhook"
    if live is None:
        return Crd(step, None, conversion=by_webhook)
    diff = schema_diff.compare(read(live, CustomResourceDefinition), new)
    return Crd(step, diff, not diff.remarks, by_webhook)


def _get(client: ClusterClient, group: str, kind: str, name: str, namespace: str) -> tuple[KubeObject | None, str]:
    """(the live object, why it can't be read); ('' and None: there is none)."""
    try:
        type_ = client.find_kind(group, kind)
        return client.get(type_, name, namespace if type_.namespaced else ""), ""
    except NotFound:
        return None, ""
    except KubeError as error:
        return None, str(error)


def _other(client: ClusterClient, plan: InstallPlan, step: PlanStep) -> Other:
    if step.manifest is None:
        return Other(step, "taken" if step.real_kind in MADE_OF_CSV else "unknown", step.gap)
    live, gap = _get(client, step.group, step.real_kind, step.name, plan.namespace)
    if gap:
        return Other(step, "unknown", gap)
    if live is None:
        return Other(step, "new")
    return Other(step, "same" if covers(live, _comparable(step.manifest)) else "changed")


def _comparable(manifest: KubeObject) -> KubeObject:
    return {key: value for key, value in manifest.items() if key not in ("apiVersion", "kind", "metadata", "status")}


def covers(live: Any, wanted: Any) -> bool:
    """Whether everything that is wanted is so already; what else the live one has does not matter.

    Lists are compared item by item.
    """
    if isinstance(wanted, Mapping):
        return isinstance(live, Mapping) and all(
            covers(live.get(key), value) for key, value in wanted.items() if value not in (None, {}, [])
        )
    if isinstance(wanted, list):
        return isinstance(live, list) and len(live) == len(wanted) and all(map(covers, live, wanted))
    return bool(live == wanted)


@dataclass(frozen=True, slots=True)
class StepChange:
    """`review`: None where nothing can be compared.

    `exists`: there is such an object already; `hidden`: its values are not shown.
    """

    exists: bool
    review: Review | None
    gap: str = ""
    hidden: bool = False


def of_step(client: ClusterClient, plan: InstallPlan, step: PlanStep) -> StepChange:
    """The object as it is and as the plan would have it.

    A CSV is compared with the one that it replaces, and without its texts.
    """
    if step.real_kind == "Secret":
        return StepChange(False, None, hidden=True)
    if step.manifest is None:
        return StepChange(False, None, step.gap)
    name = step.name
    if step.kind == CSV:
        replaces = read(step.manifest, ClusterServiceVersion).spec.replaces
        name = _replaced(client, plan).get(step.name, "") or replaces or name
    live, gap = _get(client, step.group, step.real_kind, name, plan.namespace)
    if live is None:
        return StepChange(False, None, gap)
    if step.kind == CSV:
        return StepChange(True, _reviewed(quiet(live), quiet(step.manifest)))
    if step.kind == CRD:
        return StepChange(True, _reviewed(_spec_only(live), _spec_only(step.manifest)))
    wanted = _unowned(step.manifest)
    return StepChange(True, _reviewed(_like(live, wanted), wanted))


def _reviewed(before: KubeObject, after: KubeObject) -> Review:
    return review(before, after, after)


def quiet(of: Mapping[str, Any]) -> KubeObject:
    """A CSV's spec without its texts and examples."""
    notes = mapping(mapping(of.get("metadata")).get("annotations"))
    spec = {key: value for key, value in mapping(of.get("spec")).items() if key not in _TALK}
    annotations = {key: value for key, value in notes.items() if key not in _NOTES}
    return {
        "apiVersion": of.get("apiVersion"),
        "kind": CSV,
        "metadata": {"name": read(of, Object).metadata.name, "annotations": annotations},
        "spec": spec,
    }


def _unowned(obj: KubeObject) -> KubeObject:
    """Without the owning CSV, whose uid isn't known yet."""
    meta = {key: value for key, value in mapping(obj.get("metadata")).items() if key != "ownerReferences"}
    return {**obj, "metadata": meta}


def _spec_only(crd: Mapping[str, Any]) -> KubeObject:
    spec = dict(mapping(crd.get("spec")))
    # Written by every API server, and by hardly any author.
    if spec.get("conversion") == {"strategy": "None"}:
        spec.pop("conversion")
    names = {key: value for key, value in mapping(spec.get("names")).items() if value}
    return {
        "apiVersion": crd.get("apiVersion"),
        "kind": CRD,
        "metadata": {"name": read(crd, Object).metadata.name},
        "spec": {**spec, "names": names},
    }


def _like(live: Any, wanted: Any) -> Any:
    """The live object reduced to the manifest's fields: what servers and controllers added isn't a change."""
    if isinstance(wanted, Mapping) and isinstance(live, Mapping):
        return {key: _like(live[key], wanted[key]) for key in wanted if key in live}
    if isinstance(wanted, list) and isinstance(live, list) and len(live) == len(wanted):
        return [_like(item, other) for item, other in zip(live, wanted, strict=True)]
    return live


def grave(found: Iterable[OperatorChange]) -> bool:
    """Whether OLM would refuse any of it."""
    return any(crd.diff is not None and crd.diff.grave for change in found for crd in change.crds)
