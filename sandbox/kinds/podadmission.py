"""kube-apiserver's admission plugins for new Pods: ServiceAccount, Priority, RuntimeClass, tolerations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import forbidden
from ..objects import copy, decode, generate_name
from .strategy import Object

if TYPE_CHECKING:
    from ..store import Store

MOUNTED_AT = "/var/run/secrets/kubernetes.io/serviceaccount"
_TOKEN_SECONDS = 3607
_CLASSES = "priorityclasses.scheduling.k8s.io"
#: The classes of the system's own Pods, which need not be made.
_SYSTEM = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
_TAKEN_AWAY = ("not-ready", "unreachable")


def admit(pod: Object, store: Store) -> None:
    """Forbidden for a Pod that names something that doesn't exist."""
    spec = pod.get("spec")
    if not isinstance(spec, dict):
        return
    _service_account(pod, spec, store)
    _priority(pod, spec, store)
    tolerate(spec)
    if name := spec.get("runtimeClassName"):
        raise forbidden("pods", _name(pod), f'pod rejected: RuntimeClass "{name}" not found')


def _name(pod: Object) -> str:
    return str(pod["metadata"].get("name") or "")


def _service_account(pod: Object, spec: Object, store: Store) -> None:
    name = spec.get("serviceAccountName") or "default"
    spec["serviceAccountName"] = spec["serviceAccount"] = name
    account = _account(pod, name, store)
    if not spec.get("imagePullSecrets") and account.get("imagePullSecrets"):
        spec["imagePullSecrets"] = copy(account["imagePullSecrets"])
    wanted = spec.get("automountServiceAccountToken")
    if wanted is None:
        wanted = account.get("automountServiceAccountToken", True)
    if wanted:
        _mount_token(spec)


def _account(pod: Object, name: str, store: Store) -> Object:
    namespace = str(pod["metadata"].get("namespace") or "")
    entry = store.get("serviceaccounts", namespace, name)
    if entry is not None:
        return decode(entry.data)
    if name == "default":  # made with the namespace, in a moment
        return {}
    why = f'error looking up service account {namespace}/{name}: serviceaccount "{name}" not found'
    raise forbidden("pods", _name(pod), why)


def _mount_token(spec: Object) -> None:
    """The token, the authority and the namespace as files in each container that has nothing at their place."""
    containers = [
        item
        for kind in ("initContainers", "containers")
        for item in spec.get(kind) or []
        if isinstance(item, dict)
        and all(mount.get("mountPath") != MOUNTED_AT for mount in item.get("volumeMounts") or [])
    ]
    if not containers:
        return
    known = [item["name"] for item in spec.get("volumes") or [] if str(item.get("name")).startswith("kube-api-access-")]
    volume = known[0] if known else generate_name("kube-api-access-")
    for container in containers:
        mount = {"name": volume, "readOnly": True, "mountPath": MOUNTED_AT}
        container["volumeMounts"] = [*(container.get("volumeMounts") or []), mount]
    if not known:
        spec["volumes"] = [*(spec.get("volumes") or []), _token_volume(volume)]


def _token_volume(name: str) -> Object:
    authority = {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}
    field = {"apiVersion": "v1", "fieldPath": "metadata.namespace"}
    sources: list[Object] = [
        {"serviceAccountToken": {"expirationSeconds": _TOKEN_SECONDS, "path": "token"}},
        {"configMap": authority},
        {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": field}]}},
    ]
    return {"name": name, "projected": {"sources": sources, "defaultMode": 420}}


def _priority(pod: Object, spec: Object, store: Store) -> None:
    """The number and the policy of the Pod's class, or of the class that is for all."""
    name, value, policy = spec.get("priorityClassName") or "", 0, "PreemptLowerPriority"
    found: Any = None
    if name and name not in _SYSTEM:
        entry = store.get(_CLASSES, "", name)
        if entry is None:
            raise forbidden("pods", _name(pod), f"no PriorityClass with name {name} was found")
        found = decode(entry.data)
    elif not name:
        classes = (decode(entry.data) for entry in store.scan(_CLASSES))
        found = next((class_ for class_ in classes if class_.get("globalDefault")), None)
    if name in _SYSTEM:
        value = _SYSTEM[name]
    elif found is not None:
        value, policy = int(found.get("value") or 0), found.get("preemptionPolicy") or policy
        spec["priorityClassName"] = found["metadata"]["name"]
    given = spec.get("priority")
    if given is not None and given != value:
        why = (
            f"the integer value of priority ({given}) must not be provided in pod spec; priority admission controller "
            f"computed {value} from the given PriorityClass name"
        )
        raise forbidden("pods", _name(pod), why)
    asked = spec.get("preemptionPolicy")
    if asked is not None and asked != policy:
        why = (
            f"the string value of PreemptionPolicy ({asked}) must not be provided in pod spec; priority admission "
            f"controller computed {policy} from the given PriorityClass name"
        )
        raise forbidden("pods", _name(pod), why)
    spec["priority"], spec["preemptionPolicy"] = value, policy


def tolerate(spec: Object) -> None:
    """A node that is away for five minutes does no harm."""
    given = list(spec.get("tolerations") or [])
    for name in _TAKEN_AWAY:
        key = f"node.kubernetes.io/{name}"
        if not any(_covers(item, key) for item in given):
            given.append({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300})
    spec["tolerations"] = given


def _covers(toleration: Object, key: str) -> bool:
    every = not toleration.get("key") and toleration.get("operator") == "Exists"
    return (every or toleration.get("key") == key) and toleration.get("effect") in (None, "", "NoExecute")
