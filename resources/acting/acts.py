"""Acts on one object that are more than an edit of a field: restart a rollout, pause it, suspend, run a CronJob now,
evict a Pod, add a debug container.

Each is what kubectl does for the same word, so that both can be used on one object:
https://kubernetes.io/docs/reference/kubectl/generated/kubectl_rollout/, kubectl_create_job/ and kubectl_debug/

A debug container is an ephemeral container with its own tools. It shares the Pod's network, and with a target that
container's processes; it stays until the Pod ends.
https://kubernetes.io/docs/concepts/workloads/pods/ephemeral-containers/
"""

import json
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.discovery import ResourceType, is_custom
from kube.errors import KubeError, NotFound
from kube.kubectl import Command, CommandArgument, Commands
from kube.objects import KubeObject, mapping
from kube.reader import read
from kube.types.extensions import JSONSchemaProps
from kube.types.meta import TypicalObject
from kube.types.workloads import CronJob, JobStatus
from resources.kinds import kudo
from resources.place import Place

RESTARTED = "kubectl.kubernetes.io/restartedAt"
MANUAL = "cronjob.kubernetes.io/instantiate"
_ROLLOUTS = ("Deployment", "StatefulSet", "DaemonSet")
# How operators call it: Flux, Argo Workflows and Knative suspend, Cluster API and Zalando's pause.
_FIELDS = ("suspend", "suspended", "paused", "pause")
#: Every act but the plans of KUDO: its name, which is also what people type for it in the palette → how it is undone, a
#: word of templates/console/_undo.html.
UNDO_WORDS = {
    "restart": "restart",
    "pause": "back",
    "resume": "back",
    "run": "job",
    "suspend": "back",
    "evict": "restart",
}
_PLAN = "plan-"
#: Names of Jobs end in the Pods' own suffix, so a Job may have 63 characters and no more.
JOB_NAME = 63


@dataclass(frozen=True, slots=True)
class Right:
    """What the API server is asked for."""

    verb: str
    type: ResourceType
    subresource: str = ""
    named: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """`name` stands in the address; `explains`: what happens; `command`: kubectl's; `refusal`: why it makes no sense as
    the object is now; `patch`: what is sent, None where something else is done; `new_name`: a proposal where something
    is made.
    """

    name: str
    label: str
    explains: str
    command: str
    right: Right
    done: str
    patch: Mapping[str, Any] | None = None
    refusal: str = ""
    new_name: str = ""

    @property
    def way(self) -> str:
        """How it is undone, for console/_undo.html."""
        return "plan-run" if self.name.startswith(_PLAN) else UNDO_WORDS[self.name]


def offered(client: ClusterClient, place: Place, obj: KubeObject) -> tuple[Act, ...]:
    """Those that fit the object as it is: one that is suspended is resumed."""
    return tuple(_offered(client, place, obj))


def find(client: ClusterClient, place: Place, obj: KubeObject, name: str) -> Act:
    """Raises NotFound where the object doesn't (or no longer) offer the act."""
    for act in offered(client, place, obj):
        if act.name == name:
            return act
    raise NotFound(
        _("“%(act)s” isn't possible for %(kind)s “%(name)s” in its current state.")
        % {
            "kind": place.type.kind,
            "name": place.name,
            "act": name,
        }
    )


def perform(client: ClusterClient, place: Place, obj: KubeObject, act: Act, new_name: str = "") -> Place:
    """Do it; the place to look at next. Raises KubeError with the API server's words."""
    if act.name == "run":
        made = client.create(act.right.type, job(obj, new_name), place.namespace)
        return Place(act.right.type, place.namespace, str(made["metadata"]["name"]))
    if act.name == "evict":
        client.raw(
            "POST",
            place.type.path(place.namespace, place.name, "eviction"),
            body=json.dumps(_eviction(place)).encode(),
            content_type="application/json",
        )
        return place
    client.patch(place.type, place.name, act.patch, place.namespace)
    return place


def _offered(client: ClusterClient, place: Place, obj: KubeObject) -> Iterator[Act]:
    type_ = place.type
    if "patch" not in type_.verbs:
        return
    if type_.group == "apps" and type_.kind in _ROLLOUTS:
        yield from _rollout(place, obj)
    if type_.group == "batch" and type_.kind == "CronJob":
        yield from _run(client, place)
    if type_.group == kudo.GROUP and type_.kind == "Instance":
        yield from _plans(place, obj)
    if not _has_ended(type_, obj) and (field := suspending(client, type_)):
        yield _suspend(place, field, mapping(obj.get("spec")).get(field) is True)
    if not type_.group and type_.kind == "Pod" and "eviction" in type_.subresources:
        yield Act(
            name="evict",
            label=_("Evict"),
            explains=_(
                "Deletes the Pod unless that would violate a PodDisruptionBudget. The Pod's controller "
                "creates a replacement."
            ),
            command=f"echo '{json.dumps(_eviction(place))}' | kubectl create --raw "
            f"{type_.path(place.namespace, place.name, 'eviction')} -f -",
            right=Right("create", type_, "eviction"),
            done=_("Pod “%(name)s” is being evicted.") % {"name": place.name},
        )


def _eviction(place: Place) -> KubeObject:
    metadata = {"name": place.name, "namespace": place.namespace}
    return {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": metadata}


def _rollout(place: Place, obj: KubeObject) -> Iterator[Act]:
    right, words = Right("patch", place.type), {"kind": place.type.kind, "name": place.name}
    paused = place.type.kind == "Deployment" and read(obj, TypicalObject).spec.paused
    stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    yield Act(
        name="restart",
        label=_("Restart rollout"),
        explains=_("Replaces the Pods with new Pods, a few at a time, following the update strategy."),
        command=f"kubectl rollout restart {place.kubectl}",
        right=right,
        done=_("Restarting the Pods of %(kind)s “%(name)s”.") % words,
        patch={"spec": {"template": {"metadata": {"annotations": {RESTARTED: stamp}}}}},
        refusal=_("The rollout is paused. Resume it first.") if paused else "",
    )
    if place.type.kind == "Deployment":
        yield Act(
            name="resume" if paused else "pause",
            label=_("Resume rollout") if paused else _("Pause rollout"),
            explains=(
                _("Changes made during the pause are rolled out now.")
                if paused
                else _("The Pods keep running, but changes to the Deployment aren't rolled out until you resume it.")
            ),
            command=f"kubectl rollout {'resume' if paused else 'pause'} {place.kubectl}",
            right=right,
            done=(
                _("Rollout of %(kind)s “%(name)s” resumed.") if paused else _("Rollout of %(kind)s “%(name)s” paused.")
            )
            % words,
            patch={"spec": {"paused": None if paused else True}},
        )


def _has_ended(type_: ResourceType, obj: KubeObject) -> bool:
    """A Job that is done can't be stopped any more."""
    if (type_.group, type_.kind) != ("batch", "Job"):
        return False
    conditions = read(obj.get("status"), JobStatus).conditions
    return any(condition.type in ("Complete", "Failed") and condition.status == "True" for condition in conditions)


def suspending(client: ClusterClient, type_: ResourceType) -> str:
    """The boolean below spec that stops an object of this kind, '' where it has none (known from the schema)."""
    if type_.group == "batch" and type_.kind in ("CronJob", "Job"):
        return "suspend"
    if not is_custom(type_.group):
        return ""
    try:
        schema = read(client.schema(type_), JSONSchemaProps)
    except KubeError:
        return ""
    spec = read(schema.properties.get("spec"), JSONSchemaProps)
    return next((name for name in _FIELDS if read(spec.properties.get(name), JSONSchemaProps).type == "boolean"), "")


def _suspend(place: Place, field: str, on: bool) -> Act:
    words = {"kind": place.type.kind, "name": place.name}
    change = "false" if on else "true"
    explains = {
        "CronJob": _("No new Jobs are started until you resume the CronJob. Running Jobs continue."),
        "Job": _("The Job's Pods are deleted. Resuming the Job starts new Pods."),
    }.get(
        place.type.kind,
        _("The operator doesn't reconcile the object until you resume it (spec.%(field)s).") % {"field": field},
    )
    return Act(
        name="resume" if on else "suspend",
        label=_("Resume") if on else _("Suspend"),
        explains=_("The operator or controller reconciles the object again (spec.%(field)s).") % {"field": field}
        if on
        else explains,
        command=f'kubectl patch {place.kubectl} --type merge -p \'{{"spec":{{"{field}":{change}}}}}\'',
        right=Right("patch", place.type),
        done=(_("%(kind)s “%(name)s” resumed.") if on else _("%(kind)s “%(name)s” suspended.")) % words,
        patch={"spec": {field: not on}},
    )


def _plans(place: Place, obj: KubeObject) -> Iterator[Act]:
    """One for each plan that a person may start; its operator takes it from there."""
    busy = kudo.busy(obj)
    for name in kudo.runnable(obj):
        patch = {"spec": {"planExecution": {"planName": name}}}
        yield Act(
            name=f"{_PLAN}{name}",
            label=_("Run plan %(name)s") % {"name": name},
            explains=_("The operator runs the plan step by step, with the Instance's current parameters."),
            command=f"kubectl patch {place.kubectl} --type merge -p '{json.dumps(patch)}'",
            right=Right("patch", place.type),
            done=_("Plan “%(name)s” requested.") % {"name": name},
            patch=patch,
            refusal=_("Plan %(name)s is running. Wait until it finishes.") % {"name": busy} if busy else "",
        )


def _run(client: ClusterClient, place: Place) -> Iterator[Act]:
    try:
        jobs = client.find("batch", place.type.version, "jobs")
    except NotFound:
        return
    name = f"{place.name[: JOB_NAME - 13]}-manual-{secrets.token_hex(3)[:5]}"
    yield Act(
        name="run",
        label=_("Run now"),
        explains=_("Creates a Job from the template now, outside the schedule, like “kubectl create job --from”."),
        command=f"kubectl create job {name} --from=cronjob/{place.name} -n {place.namespace}",
        right=Right("create", jobs, named=False),
        done=_("Started a Job from CronJob “%(name)s”.") % {"name": place.name},
        new_name=name,
    )


def job(cron_job: KubeObject, name: str) -> KubeObject:
    """A Job of the CronJob's template. It belongs to the CronJob, which counts it among its history."""
    creator = read(cron_job, CronJob)
    metadata = creator.spec.job_template.metadata
    owner = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "name": creator.metadata.name,
        "uid": creator.metadata.uid,
        "controller": True,
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": name,
            "labels": metadata.labels,
            "annotations": {**metadata.annotations, MANUAL: "manual"},
            "ownerReferences": [owner],
        },
        "spec": mapping(mapping(cron_job.get("spec")).get("jobTemplate")).get("spec"),
    }


#: Small, and it has a shell.
DEBUG_IMAGE = "busybox:1.37"


def debug_container(image: str, target: str) -> dict[str, Any]:
    """An ephemeral container that idles until a terminal is opened in it. `target` '' shares no processes."""
    found: dict[str, Any] = {
        "name": f"debugger-{secrets.token_hex(3)}",
        "image": image,
        "command": ["sh"],
        "stdin": True,
        "tty": True,
        "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
    }
    return {**found, "targetContainerName": target} if target else found


def add_debug_container(client: ClusterClient, place: Place, item: dict[str, Any]) -> KubeObject:
    """Raises KubeError: Forbidden needs patch on pods/ephemeralcontainers, Invalid names the field."""
    patch = {"spec": {"ephemeralContainers": [item]}}
    return client.patch(
        place.type, place.name, patch, place.namespace, style="strategic", subresource="ephemeralcontainers"
    )


def debug_command(place: Place, image: str, target: str) -> Commands:
    """As the form's fields `image` and `target` say."""
    fields = (
        CommandArgument("image", image, before=" --image=", otherwise=" --image=IMAGE"),
        CommandArgument("target", target, before=" --target="),
    )
    return Commands((Command(f"kubectl debug -it {place.name} -n {place.namespace}", rest=(*fields, " -- sh")),))
