"""InstallPlans: what OLM is about to make or has made, step by step, with each step's manifest wherever OLM keeps it.

A step's manifest stands in the plan itself, or the plan refers to a ConfigMap with the whole bundle, which OLM's unpack
job wrote beside the catalog; then the objects that OLM makes of the CSV (service accounts, roles) are nowhere before
they exist. Source: operator-lifecycle-manager, pkg/controller/operators/catalog/manifests.go; operator-registry,
pkg/configmap/configmap.go.
"""

import base64
import gzip
import hashlib
import io
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml
from django.utils.translation import gettext as _

from kube import limits, reader
from kube.client import ClusterClient
from kube.errors import Conflict, KubeError
from kube.objects import KubeObject, items, mapping, name_of
from kube.types import olm as olm_types
from kube.types.core import ConfigMap
from kube.types.meta import Object
from kube.types.olm import Step, StepResource
from operatorhub import olm
from operatorhub.csv import strings
from operatorhub.running.workloads import ASKS, DONE, FAILED, RUNNING, WAITING
from resources import yamltext
from untrusted import json_bounds

#: Of a ConfigMap with a packed bundle; such a bundle has less than this many bytes.
_PACKED = "olm.contentEncoding"
PHASES = {"Complete": DONE, "Failed": FAILED, "Installing": RUNNING, "Planning": RUNNING}
#: Kinds that OLM makes of the CSV's install strategy, unless the bundle has them itself.
MADE_OF_CSV = ("ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanStep:
    """One object of a plan.

    `state` as in workloads; `status` is OLM's word. `manifest`: None where it is not known, and `gap` says why.
    """

    number: int
    resolving: str
    kind: str
    group: str
    version: str
    name: str
    status: str
    state: str
    manifest: KubeObject | None
    gap: str = ""

    @property
    def real_kind(self) -> str:
        return _real_kind(self.kind)

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallPlan:
    """`csvs`: all operators that it carries; approving it approves them all.

    `subscriptions`: names of those that asked for it.
    """

    uid: str
    namespace: str
    name: str
    phase: str
    state: str
    approval: str
    approved: bool
    csvs: tuple[str, ...]
    catalogs: tuple[str, ...]
    subscriptions: tuple[str, ...]
    components: int
    created: str
    message: str
    conditions: tuple[Mapping[str, str], ...]
    generation: int
    object: KubeObject

    @property
    def waits(self) -> bool:
        """True while it waits for approval."""
        return self.state == ASKS

    @property
    def content(self) -> str:
        """A digest of what carrying it out means: a page that shows the plan sends it along with the approval."""
        return hashlib.sha256(json.dumps(_would_do(self.object), sort_keys=True).encode()).hexdigest()

    @property
    def word(self) -> str:
        return phase_word(self.phase)


def phase_word(phase: str) -> str:
    words = {
        "Complete": _("Complete"),
        "Failed": _("Failed"),
        olm.REQUIRES_APPROVAL: _("Requires approval"),
        "Installing": _("Installing"),
        "Planning": _("Planning"),
        "": _("Waiting for OLM"),
    }
    return words.get(phase, phase)


def plan(obj: KubeObject) -> InstallPlan:
    """An InstallPlan, read."""
    found = reader.read(obj, olm_types.InstallPlan)
    metadata, spec, status = found.metadata, found.spec, found.status
    problems = [condition for condition in status.conditions if condition.status == "False"]
    problems += [
        condition for lookup in status.bundle_lookups for condition in lookup.conditions if condition.status == "True"
    ]
    return InstallPlan(
        uid=metadata.uid,
        namespace=metadata.namespace,
        name=metadata.name,
        phase=status.phase,
        state=ASKS if olm.plan_waits(found) else PHASES.get(status.phase, RUNNING),
        approval=spec.approval or "Automatic",
        approved=spec.approved,
        csvs=strings(spec.cluster_service_version_names),
        catalogs=strings(status.catalog_sources),
        subscriptions=strings([owner.name for owner in metadata.owner_references if owner.kind == "Subscription"]),
        components=len(status.plan),
        created=metadata.creation_timestamp,
        message=status.message or "; ".join(strings([problem.message or problem.reason for problem in problems])),
        conditions=tuple(
            {
                "type": condition.type,
                "status": condition.status,
                "reason": condition.reason,
                "message": condition.message,
                "lastTransitionTime": condition.last_transition_time,
            }
            for condition in status.conditions
        ),
        generation=spec.generation,
        object=obj,
    )


def listed(
    client: ClusterClient, namespace: str, csv_name: str = "", subscription: str = ""
) -> tuple[InstallPlan, ...]:
    """Newest first; where `csv_name` is given only those that carry it, or that its Subscription asks for: the next
    version's. Raises Forbidden.
    """
    found = [plan(item) for item in client.list(olm.type_of(client, olm.PLANS), namespace).items]
    wanted = [
        install_plan
        for install_plan in found
        if not csv_name
        or csv_name in install_plan.csvs
        or (subscription and subscription in install_plan.subscriptions)
    ]
    return tuple(sorted(wanted, key=lambda install_plan: (install_plan.created, install_plan.generation), reverse=True))


def read(client: ClusterClient, namespace: str, name: str) -> InstallPlan:
    """Raises NotFound, Forbidden."""
    return plan(client.get(olm.type_of(client, olm.PLANS), name, namespace))


def steps(client: ClusterClient, of: InstallPlan) -> tuple[PlanStep, ...]:
    """Every step with its manifest; reads the bundles' ConfigMaps where the plan refers to them.

    Raises nothing for what can't be read.
    """
    bundles = _Bundles(client)
    found = reader.read(of.object, olm_types.InstallPlan).status.plan
    return tuple(_step(bundles, number, step, of.phase) for number, step in enumerate(found))


def _step(bundles: "_Bundles", number: int, step: Step, phase: str) -> PlanStep:
    resource = step.resource
    given = decoded(resource.manifest)
    gap = ""
    if reference := referred(given):
        given, gap = bundles.find(reference, resource)
    elif given is None:
        gap = _("The plan doesn't contain this object's manifest.")
    state = DONE if step.status in ("Created", "Present") else RUNNING if phase == "Installing" else WAITING
    return PlanStep(
        number=number,
        resolving=step.resolving,
        kind=resource.kind,
        group=resource.group,
        version=resource.version,
        name=resource.name,
        status=step.status,
        state=state,
        manifest=_typed(given, resource) if given is not None else None,
        gap=gap,
    )


def _typed(given: KubeObject, resource: StepResource) -> KubeObject:
    """With its kind: manifests of objects that OLM makes itself leave it to the step."""
    api = f"{resource.group}/{resource.version}" if resource.group else resource.version
    return {"apiVersion": api, "kind": _real_kind(resource.kind), **given}


def _real_kind(kind: str) -> str:
    return "Secret" if kind == "BundleSecret" else kind


def decoded(manifest: str) -> KubeObject | None:
    """A step's text as an object; None if it isn't one."""
    try:
        found = json_bounds.loads(manifest)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def referred(given: KubeObject | None) -> tuple[str, str] | None:
    """(namespace, name) of the ConfigMap that a step refers to.

    OLM takes for a reference what has all of these, and so do we.
    """
    if given is None or given.get("kind") != "ConfigMap" or "metadata" in given:
        return None
    wanted = ("namespace", "name", "catalogSourceName", "catalogSourceNamespace")
    return (str(given["namespace"]), str(given["name"])) if all(given.get(key) for key in wanted) else None


class _Bundles:
    """The ConfigMaps of one plan, each read once."""

    def __init__(self, client: ClusterClient) -> None:
        self._client = client
        self._read: dict[tuple[str, str], tuple[list[KubeObject], str]] = {}

    def find(self, place: tuple[str, str], resource: StepResource) -> tuple[KubeObject | None, str]:
        """(the object, why it is not known)."""
        if place not in self._read:
            self._read[place] = self._load(place)
        found, gap = self._read[place]
        if gap:
            return None, gap
        for obj in found:
            if name_of(obj) == resource.name and obj.get("kind") == _real_kind(resource.kind):
                return obj, ""
        if resource.kind in MADE_OF_CSV:
            return None, _("OLM creates it from the CSV's permissions, which are compared there.")
        return None, _("The bundle in the ConfigMap %(namespace)s/%(name)s doesn't contain this object.") % {
            "namespace": place[0],
            "name": place[1],
        }

    def _load(self, place: tuple[str, str]) -> tuple[list[KubeObject], str]:
        try:
            config = self._client.get(self._client.find("", "v1", "configmaps"), place[1], place[0])
        except KubeError as error:
            words = {"namespace": place[0], "name": place[1], "error": error}
            return [], _(
                "The bundle is in the ConfigMap %(namespace)s/%(name)s, which can't be read: %(error)s"
            ) % words
        return list(bundle_objects(config)), ""


def bundle_objects(config: KubeObject) -> Iterator[KubeObject]:
    """The manifests of a bundle as `opm alpha bundle extract` keeps them: YAML by file name, plain or packed."""
    config_map = reader.read(config, ConfigMap)
    packed = config_map.metadata.annotations.get(_PACKED) == "gzip+base64"
    data = config_map.binary_data if packed else config_map.data
    for key in sorted(data):
        try:
            found = yamltext.load(_unpacked(data[key]) if packed else data[key])
        except (yamltext.YamlProblem, yaml.YAMLError):
            continue
        if isinstance(found, dict) and found.get("kind") and isinstance(found.get("metadata"), dict):
            yield found


def _unpacked(text: str) -> str:
    """binaryData is base64 of what the job wrote, which is base64 of gzip."""
    try:
        raw = base64.b64decode(base64.b64decode(text))
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as stream:
            return stream.read(limits.PACKED_MANIFEST.value).decode("utf-8", "replace")
    except (ValueError, OSError, zlib.error, EOFError):
        return ""


def approve(client: ClusterClient, of: InstallPlan, *, seen: str = "", dry_run: bool = False) -> None:
    """Approve a plan as it was shown. Raises Conflict if its content has changed since.

    Conditions and labels don't count.

    `seen`: the content that the user reviewed; '' approves `of` as it is.
    """
    if seen not in ("", of.content):
        words = _("The install plan “%(name)s” has changed since you reviewed it. Review it again.")
        raise Conflict(words % {"name": of.name})
    type_, obj = olm.type_of(client, olm.PLANS), of.object
    for last in (False, False, False, False, True):
        version = reader.read(obj, Object).metadata.resource_version
        patch = {"metadata": {"resourceVersion": version, "uid": of.uid}, "spec": {"approved": True}}
        try:
            client.patch(type_, of.name, patch, of.namespace, dry_run=dry_run)
        except Conflict:
            # OLM writes a plan several times when it makes it.
            obj = client.get(type_, of.name, of.namespace)
            if last or _would_do(obj) != _would_do(of.object):
                raise
        else:
            return


def dismiss(client: ClusterClient, sub: olm.Subscription) -> None:
    """Stay on the installed version: noted on the Subscription, until another update comes."""
    patch = {"metadata": {"uid": sub.uid, "annotations": {olm.DISMISSED: sub.current_csv}}}
    client.patch(olm.type_of(client, olm.SUBSCRIPTIONS), sub.name, patch, sub.namespace)


def _would_do(obj: KubeObject) -> tuple[str, Any, list[Any]]:
    """What carrying out a plan means: everything but how far it is."""
    steps = items(mapping(obj.get("status")).get("plan"))
    uid = reader.read(obj, Object).metadata.uid
    return uid, obj.get("spec"), [(step.get("resolving"), step.get("resource")) for step in steps]
