"""A Pod's page: its containers, where it runs, and its volumes.

facts_of_container() and volumes() also describe the Pod template of a workload. pods_using() lists the Pods that use a
Secret, a ConfigMap or a claim. Values that come from Secrets are named, never read.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import KubeObject, items, mapping, name_of, namespace_of, text
from resources.kinds import Kind, Maker, Panel
from resources.kinds.parts import Bit, Cell, Table, facts, label, line, lines, more_note, see, some, state, table
from resources.state.kind_health import health

# The volume's field, what it is called, and where the object's name stands in it.
_OBJECTS = {
    "configMap": ("ConfigMap", "name"),
    "secret": ("Secret", "secretName"),
    "persistentVolumeClaim": ("PersistentVolumeClaim", "claimName"),
}
_ENVIRONMENT = 60
_PARTS = (
    ("initContainers", "initContainerStatuses", "init"),
    ("containers", "containerStatuses", ""),
    ("ephemeralContainers", "ephemeralContainerStatuses", "ephemeral"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PodContainer:
    """`state`: running, waiting or terminated, with the reason.

    `init`: it runs before the others; `role`: init, sidecar, ephemeral or ''.
    `facts`: what its spec says.
    """

    name: str
    image: str
    state: str
    colour: str
    ready: bool
    restarts: int
    init: bool
    last: str
    role: str = ""
    facts: tuple[tuple[str, Cell], ...] = ()


def panels(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    yield facts("pod", _("Pod"), _facts(client, obj))
    if found := containers(obj, client):
        yield Panel("containers", "resources/kinds/_containers.html", found, wide=True)
    if rows := volumes(client, obj.get("spec"), namespace_of(obj)):
        yield table("volumes", Table(title=_("Volumes"), columns=(_("Name"), _("Kind"), _("Source")), rows=rows))
    if rows := tolerations(obj):
        yield table(
            "tolerations",
            Table(title=_("Tolerations"), columns=(_("Taint"), _("Effect"), _("Tolerated for")), rows=rows),
        )


def _facts(client: ClusterClient, obj: KubeObject) -> Iterable[tuple[str, Cell]]:
    spec, status = mapping(obj.get("spec")), mapping(obj.get("status"))
    yield _("Node"), see(client, "", "Node", spec.get("nodeName"))
    yield (
        _("Pod IP"),
        lines(text(entry.get("ip")) for entry in items(status.get("podIPs"))) or line(status.get("podIP")),
    )
    yield _("Host IP"), line(status.get("hostIP"))
    yield _("Quality of service"), line(status.get("qosClass"))
    yield _("Service account"), see(client, "", "ServiceAccount", spec.get("serviceAccountName"), namespace_of(obj))
    yield _("Restart policy"), line(spec.get("restartPolicy"))
    yield _("Priority class"), see(client, "scheduling.k8s.io", "PriorityClass", spec.get("priorityClassName"))
    yield _("Grace period"), line(_seconds(spec.get("terminationGracePeriodSeconds")))
    yield _("Uses the node's network"), label(_("Yes"), "orange") if spec.get("hostNetwork") is True else ()
    yield _("Node selector"), lines(f"{key}={text(value)}" for key, value in mapping(spec.get("nodeSelector")).items())
    yield (
        _("Image pull secrets"),
        tuple(
            bit
            for entry in items(spec.get("imagePullSecrets"))
            for bit in see(client, "", "Secret", entry.get("name"), namespace_of(obj))
        ),
    )


def _seconds(value: Any) -> str:
    return f"{value} s" if isinstance(value, int) and not isinstance(value, bool) else ""


def containers(obj: KubeObject, client: ClusterClient | None = None) -> tuple[PodContainer, ...]:
    """Of a Pod, in the order of its spec; init containers first. With a client, also what their specs say."""
    spec, status = mapping(obj.get("spec")), mapping(obj.get("status"))
    found: list[PodContainer] = []
    for part, states, role in _PARTS:
        by_name = {text(entry.get("name")): entry for entry in items(status.get(states))}
        for entry in items(spec.get(part)):
            # An init container that is restarted is a sidecar: it runs beside the others.
            what = "sidecar" if role == "init" and text(entry.get("restartPolicy")) == "Always" else role
            container_facts = tuple(facts_of_container(client, entry, namespace_of(obj))) if client else ()
            found.append(_container(entry, by_name.get(text(entry.get("name")), {}), what, container_facts))
    return tuple(found)


def _container(
    spec: Mapping[str, Any], status: Mapping[str, Any], role: str, container_facts: tuple[tuple[str, Cell], ...]
) -> PodContainer:
    state, colour = _state(mapping(status.get("state")))
    last, _colour = _state(mapping(status.get("lastState")))
    restarts = status.get("restartCount")
    return PodContainer(
        name=text(spec.get("name")),
        image=text(spec.get("image")),
        state=state or "waiting",
        colour=colour,
        ready=status.get("ready") is True,
        restarts=restarts if isinstance(restarts, int) else 0,
        init=role == "init",
        last=last,
        role=role,
        facts=tuple(fact for fact in container_facts if fact[1]),
    )


def _state(state: Mapping[str, Any]) -> tuple[str, str]:
    if "running" in state:
        return "running", "green"
    for word in ("waiting", "terminated"):
        entry = mapping(state.get(word))
        if not entry:
            continue
        code = entry.get("exitCode")
        parts = [word, text(entry.get("reason")), f"exit code {code}" if isinstance(code, int) and code else ""]
        good = text(entry.get("reason")) in ("ContainerCreating", "PodInitializing", "Completed")
        return ": ".join(part for part in (parts[0], ", ".join(filter(None, parts[1:]))) if part), "" if good else "red"
    return "", ""


def tolerations(obj: KubeObject) -> tuple[tuple[Cell, ...], ...]:
    """Which taints of nodes it puts up with."""
    return tuple(
        (
            line(_taint(entry)),
            line(text(entry.get("effect")) or _("any effect")),
            line(_seconds(entry.get("tolerationSeconds")) or _("always")),
        )
        for entry in items(mapping(obj.get("spec")).get("tolerations"))
    )


def _taint(entry: Mapping[str, Any]) -> str:
    key = text(entry.get("key"))
    if not key:
        return _("any taint")
    return f"{key}={text(entry.get('value'))}" if text(entry.get("operator")) in ("", "Equal") else key


def volumes(client: ClusterClient, spec: Any, namespace: str) -> tuple[tuple[Cell, ...], ...]:
    """Rows of name, kind and origin, in the order of the Pod's spec."""
    return tuple(_volume(client, entry, namespace) for entry in items(mapping(spec).get("volumes")))


def _volume(client: ClusterClient, entry: Mapping[str, Any], namespace: str) -> tuple[Cell, ...]:
    kind = next((key for key in entry if key != "name"), "emptyDir")
    source = mapping(entry.get(kind))
    if kind in _OBJECTS:
        what, field = _OBJECTS[kind]
        return line(entry.get("name")), line(what), see(client, "", what, source.get(field), namespace)
    if kind == "projected":
        parts = tuple(bit for part in items(source.get("sources")) for bit in _projected(client, part, namespace))
        return line(entry.get("name")), line(_("projected")), parts
    words = {
        "hostPath": text(source.get("path")),
        "emptyDir": ", ".join(filter(None, (text(source.get("medium")), text(source.get("sizeLimit"))))),
        "csi": text(source.get("driver")),
        "nfs": f"{text(source.get('server'))}:{text(source.get('path'))}",
        "image": text(source.get("reference")),
    }.get(kind, "")
    return line(entry.get("name")), line(kind), line(words)


def _projected(client: ClusterClient, part: Mapping[str, Any], namespace: str) -> Cell:
    for kind, field in (("ConfigMap", "configMap"), ("Secret", "secret")):
        if found := mapping(part.get(field)):
            name = text(found.get("name"))
            return see(client=client, group="", kind=kind, name=name, namespace=namespace, words=f"{kind} {name}")
    if "serviceAccountToken" in part:
        return line(_("service account token"))
    return line(_("Pod metadata (downward API)")) if "downwardAPI" in part else line(next(iter(part), ""))


def pods_using(client: ClusterClient, kind: str, name: str, namespace: str) -> Panel:
    """The Pods of the namespace that mount it, take variables from it, or pull their image with it."""
    found = some(client, "", "Pod", namespace)
    rows = tuple(
        (see(client, "", "Pod", name_of(pod), namespace), state(health(pod)), line(", ".join(ways)))
        for pod in found.items
        if (ways := tuple(dict.fromkeys(uses(pod, kind, name))))
    )
    title, columns = _("Used by Pods"), (_("Pod"), _("State"), _("Usage"))
    empty = _("No existing Pods use this object.")
    return table(
        "users",
        Table(title=title, columns=columns, rows=rows, note=more_note(found), problem=found.problem, empty=empty),
        wide=True,
    )


def uses(pod: KubeObject, kind: str, name: str) -> Iterator[str]:
    """How a Pod uses it, a few words for each way; none for a Pod that does not."""
    spec = mapping(pod.get("spec"))
    for entry in items(spec.get("volumes")):
        field, key = {what: (field, key) for field, (what, key) in _OBJECTS.items()}[kind]
        own = text(mapping(entry.get(field)).get(key)) == name
        parts = items(mapping(entry.get("projected")).get("sources"))
        if own or any(text(mapping(part.get(field)).get("name")) == name for part in parts):
            yield _("volume %(name)s") % {"name": text(entry.get("name"))}
    if kind == "PersistentVolumeClaim":
        return
    word = "secret" if kind == "Secret" else "configMap"
    for container in _all_containers(spec):
        direct = (
            mapping(mapping(entry.get("valueFrom")).get(f"{word}KeyRef")) for entry in items(container.get("env"))
        )
        whole = (mapping(entry.get(f"{word}Ref")) for entry in items(container.get("envFrom")))
        if any(text(item.get("name")) == name for item in (*direct, *whole)):
            yield _("environment of container %(name)s") % {"name": text(container.get("name"))}
    if kind == "Secret" and any(text(entry.get("name")) == name for entry in items(spec.get("imagePullSecrets"))):
        yield _("image pull secret")


def _all_containers(spec: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    for part in ("initContainers", "containers"):
        yield from items(spec.get(part))


def facts_of_container(client: ClusterClient, spec: Mapping[str, Any], namespace: str) -> Iterator[tuple[str, Cell]]:
    """Pairs for a list of facts; some are empty."""
    yield _("Command"), line(_words(spec.get("command")), "code")
    yield _("Arguments"), line(_words(spec.get("args")), "code")
    yield _("Ports"), lines(_container_ports(spec))
    resources = mapping(spec.get("resources"))
    yield _("Requests"), lines(_amounts(resources.get("requests")))
    yield _("Limits"), lines(_amounts(resources.get("limits")))
    for title, part in (
        (_("Readiness probe"), "readinessProbe"),
        (_("Liveness probe"), "livenessProbe"),
        (_("Startup probe"), "startupProbe"),
    ):
        yield title, line(probe(mapping(spec.get(part))))
    yield _("Environment"), tuple(environment(client, spec, namespace))
    yield _("Mounts"), lines(_mounts(spec))
    yield _("Security"), lines(_security(mapping(spec.get("securityContext"))))
    yield _("Pull policy"), line(spec.get("imagePullPolicy"))


def _words(value: Any) -> str:
    return " ".join(text(part) for part in value) if isinstance(value, list) else ""


def _container_ports(spec: Mapping[str, Any]) -> Iterator[str]:
    for entry in items(spec.get("ports")):
        name, host = text(entry.get("name")), text(entry.get("hostPort"))
        number = f"{text(entry.get('containerPort'))}/{text(entry.get('protocol')) or 'TCP'}"
        words = f"{number} {name}" if name else number
        yield _("%(port)s (port %(host)s of the node)") % {"port": words, "host": host} if host else words


def _amounts(value: Any) -> Iterator[str]:
    yield from (f"{key}: {text(amount)}" for key, amount in mapping(value).items())


def probe(spec: Mapping[str, Any]) -> str:
    """'GET :8080/healthz, every 10 s, 3 failures'; '' for none."""
    if not spec:
        return ""
    http, tcp, grpc = mapping(spec.get("httpGet")), mapping(spec.get("tcpSocket")), mapping(spec.get("grpc"))
    if http:
        secure = "https " if text(http.get("scheme")) == "HTTPS" else ""
        what = f"GET {secure}{text(http.get('host'))}:{text(http.get('port'))}{text(http.get('path')) or '/'}"
    elif tcp:
        what = _("connects to port %(port)s") % {"port": text(tcp.get("port"))}
    elif grpc:
        what = _("gRPC health check on port %(port)s") % {"port": text(grpc.get("port"))}
    else:
        what = _words(mapping(spec.get("exec")).get("command"))
    parts = [what]
    if delay := text(spec.get("initialDelaySeconds")):
        parts.append(_("initial delay %(n)s s") % {"n": delay} if delay != "0" else "")
    parts.append(_("every %(n)s s") % {"n": text(spec.get("periodSeconds")) or "10"})
    parts.append(_("failure threshold %(n)s") % {"n": text(spec.get("failureThreshold")) or "3"})
    return ", ".join(part for part in parts if part)


def environment(client: ClusterClient, spec: Mapping[str, Any], namespace: str) -> Iterable[Bit]:
    """A line for each variable: its value, or a link to where its value is kept."""
    entries = items(spec.get("env"))
    for source in items(spec.get("envFrom")):
        for kind, part in (("Secret", "secretRef"), ("ConfigMap", "configMapRef")):
            if name := text(mapping(source.get(part)).get("name")):
                prefix = text(source.get("prefix"))
                words = _("%(prefix)s* from all keys of %(kind)s %(name)s") % {
                    "prefix": prefix,
                    "kind": kind,
                    "name": name,
                }
                yield from see(client=client, group="", kind=kind, name=name, namespace=namespace, words=words)
    for entry in entries[:_ENVIRONMENT]:
        yield from _variable(client, entry, namespace)
    if len(entries) > _ENVIRONMENT:
        yield Bit(text=_("and %(n)d more") % {"n": len(entries) - _ENVIRONMENT}, look="muted")


def _variable(client: ClusterClient, entry: Mapping[str, Any], namespace: str) -> Cell:
    name, source = text(entry.get("name")), mapping(entry.get("valueFrom"))
    for kind, part in (("Secret", "secretKeyRef"), ("ConfigMap", "configMapKeyRef")):
        reference = mapping(source.get(part))
        if reference:
            words = _("%(name)s from %(kind)s %(from)s, key %(key)s") % {
                "name": name,
                "kind": kind,
                "from": text(reference.get("name")),
                "key": text(reference.get("key")),
            }
            return see(client=client, group="", kind=kind, name=reference.get("name"), namespace=namespace, words=words)
    if field := text(mapping(source.get("fieldRef")).get("fieldPath")):
        return line(_("%(name)s from the Pod's %(field)s") % {"name": name, "field": field})
    if amount := text(mapping(source.get("resourceFieldRef")).get("resource")):
        return line(_("%(name)s from the container's %(field)s") % {"name": name, "field": amount})
    return line(f"{name}={text(entry.get('value'))}", "code")


def _mounts(spec: Mapping[str, Any]) -> Iterator[str]:
    for entry in items(spec.get("volumeMounts")):
        part = text(entry.get("subPath"))
        words = f"{text(entry.get('mountPath'))} ← {text(entry.get('name'))}{f'/{part}' if part else ''}"
        yield _("%(mount)s (read-only)") % {"mount": words} if entry.get("readOnly") is True else words


def _security(spec: Mapping[str, Any]) -> Iterator[str]:
    if spec.get("privileged") is True:
        yield _("privileged: full access to the node")
    if spec.get("allowPrivilegeEscalation") is True:
        yield _("privilege escalation allowed")
    if text(spec.get("runAsUser")):
        yield _("runs as user %(id)s") % {"id": text(spec.get("runAsUser"))}
    if spec.get("runAsNonRoot") is True:
        yield _("never runs as root")
    if spec.get("readOnlyRootFilesystem") is True:
        yield _("root file system is read-only")
    for word, part in ((_("added capabilities: %s"), "add"), (_("dropped capabilities: %s"), "drop")):
        names = mapping(spec.get("capabilities")).get(part)
        if isinstance(names, list) and names:
            yield word % ", ".join(text(name) for name in names)


PANELS: dict[Kind, Maker] = {("", "Pod"): panels}
