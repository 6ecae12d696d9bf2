"""Validation of built-in kinds beyond their schemas: the mistakes that users commonly make.

A refusal has the status, the reasons and the fields of kube-apiserver's (kubernetes/pkg/apis/*/validation). Its
sentences are like those, and not promised. What is not checked here is stored: sandbox/README.md lists what a real
cluster refuses besides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

from structural.causes import FieldCause
from structural.metadata import label_value_faults, qualified_name_faults, shape_causes
from structural.quantities import parse_quantity
from structural.words import duplicate, forbidden, invalid, not_supported, required, show, too_long

from ..objects import copy, dig
from ..schedule import fault_of

Object = dict[str, Any]
Causes = Iterator[FieldCause]

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_PORT_NAME = re.compile(r"(?=.{1,15}$)(?=.*[a-z])(?!-)(?!.*--)[-a-z0-9]+(?<!-)")
_CONFIG_KEY = re.compile(r"(?!\.\.)(?!\.$)[-._a-zA-Z0-9]{1,253}")
_PROTOCOLS = ("SCTP", "TCP", "UDP")
_FIXED = "field is immutable"
_DATA_BYTES = 1024 * 1024

# Values


def _label(path: str, value: Any) -> Causes:
    """A DNS-1123 label."""
    if len(str(value)) > 63:
        yield invalid(path, value, "must be no more than 63 characters")
    elif not _LABEL.fullmatch(str(value)):
        text = (
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and"
            " end with an alphanumeric character"
        )
        yield invalid(path, value, text)


def _port(path: str, value: Any, named: bool = False) -> Causes:
    """A number from 1 to 65535, or the name of a port."""
    if named and isinstance(value, str):
        if not _PORT_NAME.fullmatch(value):
            yield invalid(path, value, "must be a port's name: at most 15 lower case letters, digits and hyphens")
    elif not isinstance(value, int) or not 1 <= value <= 65535:
        yield invalid(path, value or 0, "must be between 1 and 65535, inclusive")


def _counts(path: str, spec: Object, *names: str) -> Causes:
    """Numbers that are not negative."""
    for name in names:
        value = spec.get(name)
        if isinstance(value, int) and value < 0:
            yield invalid(f"{path}.{name}", value, "must be greater than or equal to 0")


def _one_of(path: str, value: Any, supported: Sequence[str]) -> Causes:
    if value is not None and value not in supported:
        yield not_supported(path, value, list(supported))


def _twice(path: str, items: Iterable[Object], field: str) -> Causes:
    """Names that come twice in a list."""
    known: set[Any] = set()
    for index, item in enumerate(items):
        value = item.get(field)
        if value and value in known:
            yield duplicate(f"{path}[{index}].{field}", value)
        known.add(value)


def _quantity(value: Any) -> Fraction:
    """The number; zero for an invalid quantity."""
    return parse_quantity(str(value)) or Fraction(0)


# Selectors


def _selector(path: str, given: Any) -> Causes:
    """A LabelSelector."""
    given = given if isinstance(given, dict) else {}
    for key, value in sorted((given.get("matchLabels") or {}).items()):
        yield from (invalid(f"{path}.matchLabels", key, fault) for fault in qualified_name_faults(key))
        yield from (invalid(f"{path}.matchLabels", value, fault) for fault in label_value_faults(str(value)))
    for index, expression in enumerate(given.get("matchExpressions") or []):
        at, operator, values = f"{path}.matchExpressions[{index}]", expression.get("operator"), expression.get("values")
        if operator in ("In", "NotIn") and not values:
            yield required(f"{at}.values", "must be specified when `operator` is 'In' or 'NotIn'")
        elif operator in ("Exists", "DoesNotExist") and values:
            yield forbidden(f"{at}.values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
        elif operator not in ("In", "NotIn", "Exists", "DoesNotExist"):
            yield invalid(f"{at}.operator", operator or "", "not a valid selector operator")


def matches(given: Any, found: Any) -> bool:
    """Whether a LabelSelector selects these labels. None selects nothing."""
    if given is None:
        return False
    found = found or {}
    if any(found.get(key) != value for key, value in (given.get("matchLabels") or {}).items()):
        return False
    return all(_meets(expression, found) for expression in given.get("matchExpressions") or [])


def _meets(expression: Object, found: Object) -> bool:
    key, values = str(expression.get("key")), expression.get("values") or []
    match expression.get("operator"):
        case "In":
            return found.get(key) in values
        case "NotIn":
            return found.get(key) not in values
        case "Exists":
            return key in found
    return key not in found


# Pods


def pod_spec(path: str, spec: Object) -> Causes:
    """A PodSpec after its defaults."""
    yield from _volumes(f"{path}.volumes", spec.get("volumes") or [])
    if not spec.get("containers"):
        yield required(f"{path}.containers")
    names: set[str] = set()
    for kind in ("containers", "initContainers"):
        for index, container in enumerate(spec.get(kind) or []):
            at, name = f"{path}.{kind}[{index}]", str(container.get("name") or "")
            yield from _container(at, container, spec, is_init=kind == "initContainers")
            if name in names:
                yield duplicate(f"{at}.name", name)
            names.add(name)
    yield from _one_of(f"{path}.restartPolicy", spec.get("restartPolicy"), ("Always", "OnFailure", "Never"))
    if spec.get("serviceAccountName") and not re.fullmatch(
        r"[a-z0-9]([-.a-z0-9]*[a-z0-9])?", spec["serviceAccountName"]
    ):
        yield invalid(
            f"{path}.serviceAccountName", spec["serviceAccountName"], "must be a lowercase RFC 1123 subdomain"
        )


def _volumes(path: str, given: list[Object]) -> Causes:
    for index, volume in enumerate(given):
        sources = [name for name, value in volume.items() if name != "name" and value is not None]
        yield from _label(f"{path}[{index}].name", volume.get("name") or "")
        if not sources:
            yield required(f"{path}[{index}]", "must specify a volume type")
        for name in sources[1:]:
            yield forbidden(f"{path}[{index}].{name}", "may not specify more than 1 volume type")
    yield from _twice(path, given, "name")


def _container(path: str, container: Object, spec: Object, is_init: bool) -> Causes:
    if container.get("name"):
        yield from _label(f"{path}.name", container["name"])
    else:
        yield required(f"{path}.name")
    yield from _one_of(f"{path}.imagePullPolicy", container.get("imagePullPolicy"), ("Always", "IfNotPresent", "Never"))
    if not container.get("image"):
        yield required(f"{path}.image")
    ports = container.get("ports") or []
    for index, port in enumerate(ports):
        if port.get("name"):
            yield from _port(f"{path}.ports[{index}].name", port["name"], named=True)
        if port.get("containerPort"):
            yield from _port(f"{path}.ports[{index}].containerPort", port["containerPort"])
        else:
            yield required(f"{path}.ports[{index}].containerPort")
        yield from _one_of(f"{path}.ports[{index}].protocol", port.get("protocol"), _PROTOCOLS)
    yield from _twice(f"{path}.ports", ports, "name")
    volumes = {volume.get("name") for volume in spec.get("volumes") or []}
    for index, mount in enumerate(container.get("volumeMounts") or []):
        if mount.get("name") not in volumes:
            at, name = f"{path}.volumeMounts[{index}].name", mount.get("name") or ""
            yield FieldCause(at, "FieldValueNotFound", f"Not found: {show(name)}")
        if ".." in str(mount.get("subPath") or "").split("/"):
            yield invalid(f"{path}.volumeMounts.subPath", mount["subPath"], "must not contain '..'")
    yield from _resources(f"{path}.resources", container.get("resources") or {})
    for name in () if is_init else ("livenessProbe", "readinessProbe", "startupProbe"):
        probe = container.get(name)
        if probe is not None and not {"exec", "httpGet", "tcpSocket", "grpc"} & {key for key in probe if probe[key]}:
            yield required(f"{path}.{name}", "must specify a handler type")


def _resources(path: str, given: Object) -> Causes:
    """A request is no more than its limit."""
    limits = given.get("limits") or {}
    for kind in ("limits", "requests"):
        for name, value in sorted((given.get(kind) or {}).items()):
            if _quantity(value) < 0:
                yield invalid(f"{path}.{kind}[{name}]", str(value), "must be greater than or equal to 0")
            elif kind == "requests" and name in limits and _quantity(value) > _quantity(limits[name]):
                text = f"must be less than or equal to {name} limit of {limits[name]}"
                yield invalid(f"{path}.requests", str(value), text)


def template(path: str, given: Any) -> Causes:
    """A PodTemplateSpec; the API server leaves out ``metadata`` in the paths of labels."""
    given = given if isinstance(given, dict) else {}
    yield from shape_causes(given.get("metadata") or {}, path)
    yield from pod_spec(f"{path}.spec", given.get("spec") or {})


def pod(obj: Object, old: Object | None) -> Causes:
    """A Pod. An update can change images, a deadline and further tolerations."""
    spec, before = obj.get("spec") or {}, (old or {}).get("spec") or {}
    yield from pod_spec("spec", spec)
    if old is not None and _frozen(spec) != _frozen(before):
        text = (
            "pod updates may not change fields other than images, `spec.activeDeadlineSeconds` and `spec.tolerations`"
        )
        yield forbidden("spec", text)


def _frozen(spec: Object) -> Object:
    free = ("activeDeadlineSeconds", "tolerations", "schedulingGates", "nodeSelector", "ephemeralContainers")
    frozen: Object = copy({key: value for key, value in spec.items() if key not in free})
    for kind in ("containers", "initContainers"):
        for container in frozen.get(kind) or []:
            container.pop("image", None)
    return frozen


# Workloads


def _workload(obj: Object, old: Object | None, restarts: Sequence[str]) -> Causes:
    """The selector, the template that it selects, and that it stays."""
    spec = obj.get("spec") or {}
    given, found = spec.get("selector"), dig(spec, "template", "metadata", "labels") or None
    faults = list(_selector("spec.selector", given))
    yield from faults
    if given is not None and not any(given.get(name) for name in ("matchLabels", "matchExpressions")):
        yield invalid("spec.selector", given, f"empty selector is invalid for {str(obj.get('kind')).lower()}")
    elif not faults and not matches(given, found):
        yield invalid("spec.template.metadata.labels", found, "`selector` does not match template `labels`")
    yield from template("spec.template", spec.get("template"))
    policy = dig(spec, "template", "spec", "restartPolicy")
    if policy in ("Always", "OnFailure", "Never") and policy not in restarts:
        yield not_supported("spec.template.spec.restartPolicy", policy, list(restarts))
    if old is not None and given != dig(old, "spec", "selector"):
        yield invalid("spec.selector", given, _FIXED)


def deployment(obj: Object, old: Object | None) -> Causes:
    """A Deployment."""
    spec = obj.get("spec") or {}
    yield from _counts("spec", spec, "replicas", "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds")
    kind, rolling = dig(spec, "strategy", "type"), dig(spec, "strategy", "rollingUpdate")
    yield from _one_of("spec.strategy", kind, ("Recreate", "RollingUpdate"))
    if kind == "Recreate" and rolling is not None:
        text = "may not be specified when strategy `type` is 'Recreate'"
        yield forbidden("spec.strategy.rollingUpdate", text)
    yield from _workload(obj, old, ("Always",))


def replica_set(obj: Object, old: Object | None) -> Causes:
    """A ReplicaSet, or a DaemonSet."""
    yield from _counts("spec", obj.get("spec") or {}, "replicas", "minReadySeconds", "revisionHistoryLimit")
    yield from _workload(obj, old, ("Always",))


#: What may change in a StatefulSet's spec.
_STATEFUL = {
    *("replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit"),
    *("persistentVolumeClaimRetentionPolicy", "minReadySeconds"),
}


def stateful_set(obj: Object, old: Object | None) -> Causes:
    """A StatefulSet."""
    spec: Object = copy(obj.get("spec") or {})
    yield from _counts("spec", spec, "replicas", "minReadySeconds", "revisionHistoryLimit")
    yield from _one_of("spec.podManagementPolicy", spec.get("podManagementPolicy"), ("OrderedReady", "Parallel"))
    yield from _one_of("spec.updateStrategy.type", dig(spec, "updateStrategy", "type"), ("RollingUpdate", "OnDelete"))
    # The volumes that the controller adds.
    claims = {dig(claim, "metadata", "name"): claim for claim in spec.get("volumeClaimTemplates") or []}
    if old is None:
        for index, claim in enumerate(claims.values()):
            yield from _claim_spec(f"spec.volumeClaimTemplates[{index}].spec", claim.get("spec") or {})
    pods = dig(spec, "template", "spec")
    if claims and isinstance(pods, dict):
        own = [volume for volume in pods.get("volumes") or [] if volume.get("name") not in claims]
        added = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in claims]
        pods["volumes"] = added + own
    yield from _workload({**obj, "spec": spec}, old, ("Always",))
    before, now = (old or {}).get("spec") or {}, obj.get("spec") or {}
    if old is not None and any(now.get(key) != before.get(key) for key in {*now, *before} - _STATEFUL):
        names = ", ".join(f"'{name}'" for name in sorted(_STATEFUL))
        yield forbidden("spec", f"updates to statefulset spec for fields other than {names} are forbidden")


def job(obj: Object, old: Object | None) -> Causes:
    """A Job, whose template never changes."""
    spec, before = obj.get("spec") or {}, (old or {}).get("spec") or {}
    yield from _job_spec("spec", spec)
    fixed = ("completions", "selector", "template", "completionMode", "podFailurePolicy") if old is not None else ()
    for name in fixed:
        waits = name == "template" and before.get("suspend") and not dig(old or {}, "status", "startTime")
        if spec.get(name) != before.get(name) and not waits:
            yield invalid(f"spec.{name}", spec.get(name), _FIXED)


def _job_spec(path: str, spec: Object) -> Causes:
    yield from _counts(path, spec, "parallelism", "completions", "activeDeadlineSeconds", "backoffLimit")
    yield from _counts(path, spec, "ttlSecondsAfterFinished")
    yield from template(f"{path}.template", spec.get("template"))
    at, policy = f"{path}.template.spec.restartPolicy", dig(spec, "template", "spec", "restartPolicy")
    if policy in (None, "", "Always"):
        yield required(at, 'valid values: "OnFailure", "Never"')


def cron_job(obj: Object, old: Object | None) -> Causes:
    """A CronJob."""
    spec, name = obj.get("spec") or {}, str(dig(obj, "metadata", "name") or "")
    schedule = str(spec.get("schedule") or "")
    if not schedule:
        yield required("spec.schedule")
    elif fault := fault_of(schedule):
        yield invalid("spec.schedule", schedule, fault)
    if (zone := spec.get("timeZone")) is not None and not _is_zone(str(zone)):
        yield invalid("spec.timeZone", zone, f"unknown time zone {zone}")
    yield from _one_of("spec.concurrencyPolicy", spec.get("concurrencyPolicy"), ("Allow", "Forbid", "Replace"))
    yield from _counts("spec", spec, "startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit")
    yield from _job_spec("spec.jobTemplate.spec", dig(spec, "jobTemplate", "spec") or {})
    if old is None and len(name) > 52:
        yield invalid("metadata.name", name, "must be no more than 52 characters")


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        return False
    return name.lower() != "local"


# Services, configuration, storage


def service(obj: Object, old: Object | None) -> Causes:
    """A Service after its defaults, before it gets its address."""
    spec = obj.get("spec") or {}
    kind, ports = spec.get("type"), spec.get("ports") or []
    is_headless = (spec.get("clusterIPs") or [spec.get("clusterIP")])[0] == "None"
    yield from _one_of("spec.type", kind, ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort"))
    if not ports and not is_headless and kind != "ExternalName":
        yield required("spec.ports")
    if kind == "ExternalName" and not spec.get("externalName"):
        yield required("spec.externalName")
    for index, port in enumerate(ports):
        at = f"spec.ports[{index}]"
        if port.get("name"):
            yield from _label(f"{at}.name", port["name"])
        elif len(ports) > 1:
            yield required(f"{at}.name")
        yield from _port(f"{at}.port", port.get("port"))
        yield from _one_of(f"{at}.protocol", port.get("protocol"), _PROTOCOLS)
        yield from _port(f"{at}.targetPort", port.get("targetPort"), named=True)
    yield from _twice("spec.ports", ports, "name")


def config_map(obj: Object, old: Object | None) -> Causes:
    """A ConfigMap, or a Secret."""
    sizes = 0
    for field in ("data", "binaryData"):
        for key, value in sorted((obj.get(field) or {}).items()):
            sizes += len(str(value).encode())
            if not _CONFIG_KEY.fullmatch(key):
                text = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
                yield invalid(f"{field}[{key}]", key, text)
    is_secret = obj.get("kind") == "Secret"
    if (sizes * 3 // 4 if is_secret else sizes) > _DATA_BYTES:
        yield too_long("data" if is_secret else "[]", _DATA_BYTES)
    if old is None or not old.get("immutable"):
        return
    for field in ("immutable", "data", "binaryData"):
        if (obj.get(field) or {}) != (old.get(field) or {}):
            yield forbidden(field, "field is immutable when `immutable` is set")


_NEEDED = {
    "kubernetes.io/service-account-token": (),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
}
_ACCOUNT = "kubernetes.io/service-account.name"


def secret(obj: Object, old: Object | None) -> Causes:
    """A Secret, with what its type needs."""
    data, kind = obj.get("data") or {}, str(obj.get("type"))
    if old is not None and kind != old.get("type"):
        yield invalid("type", kind, _FIXED)
    yield from config_map(obj, old)
    yield from (required(f"data[{key}]") for key in _NEEDED.get(kind, ()) if key not in data)
    if kind == "kubernetes.io/service-account-token" and not dig(obj, "metadata", "annotations", _ACCOUNT):
        yield required(f"metadata.annotations[{_ACCOUNT}]")


_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")


def _claim_spec(path: str, spec: Object) -> Causes:
    modes, storage = spec.get("accessModes") or [], dig(spec, "resources", "requests", "storage")
    if not modes:
        yield required(f"{path}.accessModes", "at least 1 access mode is required")
    for mode in modes:
        yield from _one_of(f"{path}.accessModes", mode, _MODES)
    if storage is None:
        yield required(f"{path}.resources[storage]")
    elif _quantity(storage) <= 0:
        yield invalid(f"{path}.resources[storage]", str(storage), "must be greater than zero")


def claim(obj: Object, old: Object | None) -> Causes:
    """A PersistentVolumeClaim; one that has its volume may grow."""
    spec, before = copy(obj.get("spec") or {}), copy((old or {}).get("spec") or {})
    yield from _claim_spec("spec", spec)
    if old is None:
        return
    is_bound = dig(old, "status", "phase") == "Bound"
    for name in ("volumeAttributesClassName", *([] if before.get("volumeName") else ["volumeName"])):
        spec.pop(name, None), before.pop(name, None)
    grown, was = (_quantity(dig(given, "resources", "requests", "storage") or 0) for given in (spec, before))
    if is_bound:
        spec["resources"] = before["resources"] = None
    if spec != before:
        yield forbidden("spec", "spec is immutable after creation except resources.requests for bound claims")
    elif is_bound and grown < was and grown < _quantity(dig(old, "status", "capacity", "storage") or 0):
        yield forbidden("spec.resources.requests.storage", "field can not be less than status.capacity")


def storage_class(obj: Object, old: Object | None) -> Causes:
    """A StorageClass, which never changes but for whether claims may grow."""
    for name in ("parameters", "provisioner", "reclaimPolicy", "volumeBindingMode") if old is not None else ():
        if ((old or {}).get(name) or None) != (obj.get(name) or None):
            yield invalid(name, obj.get(name), _FIXED)
