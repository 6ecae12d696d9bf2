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
from kube.objects import KubeObject, items, mapping, name_of, namespace_of
from kube.reader import read
from kube.types.core import (
    Container,
    ContainerState,
    ContainerStateWaiting,
    ContainerStatus,
    EnvVar,
    EnvVarSource,
    Pod,
    PodSpec,
    Probe,
    SecurityContext,
    Toleration,
    Volume,
    VolumeProjection,
)
from kube.types.meta import ObjectReference
from resources.kinds import Kind, Maker, Panel
from resources.kinds.parts import (
    Bit,
    Cell,
    Table,
    facts,
    in_seconds,
    label,
    line,
    lines,
    more_note,
    see,
    some,
    state,
    table,
)
from resources.state.kind_health import health

_ENVIRONMENT = 60


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
    pod, namespace = read(obj, Pod), namespace_of(obj)
    yield facts("pod", _("Pod"), _facts(client, pod, namespace))
    if found := containers(pod, client):
        yield Panel("containers", "resources/kinds/_containers.html", found, wide=True)
    if rows := volumes(client, obj.get("spec"), namespace):
        yield table("volumes", Table(title=_("Volumes"), columns=(_("Name"), _("Kind"), _("Source")), rows=rows))
    if rows := tolerations(pod.spec):
        yield table(
            "tolerations",
            Table(title=_("Tolerations"), columns=(_("Taint"), _("Effect"), _("Tolerated for")), rows=rows),
        )


def _facts(client: ClusterClient, pod: Pod, namespace: str) -> Iterable[tuple[str, Cell]]:
    spec, status = pod.spec, pod.status
    yield _("Node"), see(client, "", "Node", spec.node_name)
    yield _("Pod IP"), lines(address.ip for address in status.pod_ips) or line(status.pod_ip)
    yield _("Host IP"), line(status.host_ip)
    yield _("Quality of service"), line(status.qos_class)
    yield _("Service account"), see(client, "", "ServiceAccount", spec.service_account_name, namespace)
    yield _("Restart policy"), line(spec.restart_policy)
    yield _("Priority class"), see(client, "scheduling.k8s.io", "PriorityClass", spec.priority_class_name)
    yield _("Grace period"), line(in_seconds(spec.termination_grace_period_seconds))
    yield _("Uses the node's network"), label(_("Yes"), "orange") if spec.host_network else ()
    yield _("Node selector"), lines(f"{key}={value}" for key, value in spec.node_selector.items())
    yield (
        _("Image pull secrets"),
        tuple(bit for secret in spec.image_pull_secrets for bit in see(client, "", "Secret", secret.name, namespace)),
    )


def containers(pod: Pod, client: ClusterClient | None = None) -> tuple[PodContainer, ...]:
    """Of a Pod, in the order of its spec; init containers first. With a client, also what their specs say."""
    spec, status = pod.spec, pod.status
    found: list[PodContainer] = []
    for part, statuses, role in (
        (spec.init_containers, status.init_container_statuses, "init"),
        (spec.containers, status.container_statuses, ""),
        (spec.ephemeral_containers, status.ephemeral_container_statuses, "ephemeral"),
    ):
        by_name = {container_status.name: container_status for container_status in statuses}
        for container in part:
            # An init container that is restarted is a sidecar: it runs beside the others.
            what = "sidecar" if role == "init" and container.restart_policy == "Always" else role
            container_facts = facts_of_container(client, container, pod.metadata.namespace) if client else ()
            found.append(_container(container, by_name.get(container.name, ContainerStatus()), what, container_facts))
    return tuple(found)


def _container(
    container: Container, status: ContainerStatus, role: str, container_facts: Iterable[tuple[str, Cell]]
) -> PodContainer:
    state, colour = _state(status.state)
    last, _colour = _state(status.last_state)
    return PodContainer(
        name=container.name,
        image=container.image,
        state=state or "waiting",
        colour=colour,
        ready=status.ready,
        restarts=status.restart_count,
        init=role == "init",
        last=last,
        role=role,
        facts=tuple(fact for fact in container_facts if fact[1]),
    )


def _state(state: ContainerState) -> tuple[str, str]:
    """In words, and its colour."""
    if state.running:
        return "running", "green"
    if state.waiting and state.waiting != ContainerStateWaiting():
        return _stopped("waiting", state.waiting.reason)
    if state.terminated:
        return _stopped("terminated", state.terminated.reason, state.terminated.exit_code)
    return "", ""


def _stopped(word: str, reason: str, exit_code: int = 0) -> tuple[str, str]:
    why = ", ".join(part for part in (reason, f"exit code {exit_code}" if exit_code else "") if part)
    is_good = reason in ("ContainerCreating", "PodInitializing", "Completed")
    return f"{word}: {why}" if why else word, "" if is_good else "red"


def tolerations(spec: PodSpec) -> tuple[tuple[Cell, ...], ...]:
    """Which taints of nodes it puts up with."""
    return tuple(
        (
            line(_taint(toleration)),
            line(toleration.effect or _("any effect")),
            line(in_seconds(toleration.toleration_seconds) or _("always")),
        )
        for toleration in spec.tolerations
    )


def _taint(toleration: Toleration) -> str:
    if not toleration.key:
        return _("any taint")
    return f"{toleration.key}={toleration.value}" if toleration.operator in ("", "Equal") else toleration.key


def volumes(client: ClusterClient, spec: Any, namespace: str) -> tuple[tuple[Cell, ...], ...]:
    """Rows of name, kind and origin, in the order of the Pod's spec, which is given as it is: a volume of a kind
    unknown here is named by its key.
    """
    return tuple(_volume(client, volume, namespace) for volume in items(mapping(spec).get("volumes")))


def _volume(client: ClusterClient, raw: Mapping[str, Any], namespace: str) -> tuple[Cell, ...]:
    volume = read(raw, Volume)
    name = line(volume.name)
    if volume.config_map:
        return name, line("ConfigMap"), see(client, "", "ConfigMap", volume.config_map.name, namespace)
    if volume.secret:
        return name, line("Secret"), see(client, "", "Secret", volume.secret.secret_name, namespace)
    if claim := volume.persistent_volume_claim:
        return (
            name,
            line("PersistentVolumeClaim"),
            see(client, "", "PersistentVolumeClaim", claim.claim_name, namespace),
        )
    if volume.projected:
        sources = items(mapping(raw.get("projected")).get("sources"))
        return name, line(_("projected")), tuple(bit for part in sources for bit in _projected(client, part, namespace))
    kind = next((key for key in raw if key != "name"), "emptyDir")
    words = {
        "hostPath": volume.host_path.path,
        "emptyDir": ", ".join(filter(None, (volume.empty_dir.medium, volume.empty_dir.size_limit))),
        "csi": volume.csi.driver,
        "nfs": f"{volume.nfs.server}:{volume.nfs.path}",
        "image": volume.image.reference,
    }.get(kind, "")
    return name, line(kind), line(words)


def _projected(client: ClusterClient, raw: Mapping[str, Any], namespace: str) -> Cell:
    source = read(raw, VolumeProjection)
    for kind, reference in (("ConfigMap", source.config_map), ("Secret", source.secret)):
        if reference:
            words = f"{kind} {reference.name}"
            return see(client=client, group="", kind=kind, name=reference.name, namespace=namespace, words=words)
    if source.service_account_token is not None:
        return line(_("service account token"))
    if source.downward_api is not None:
        return line(_("Pod metadata (downward API)"))
    return line(next(iter(raw), ""))


def pods_using(client: ClusterClient, kind: str, name: str, namespace: str) -> Panel:
    """The Pods of the namespace that mount it, take variables from it, or pull their image with it."""
    found = some(client, "", "Pod", namespace)
    rows = tuple(
        (see(client, "", "Pod", name_of(pod), namespace), state(health(pod)), line(", ".join(ways)))
        for pod in found.items
        if (ways := tuple(dict.fromkeys(uses(read(pod.get("spec"), PodSpec), kind, name))))
    )
    title, columns = _("Used by Pods"), (_("Pod"), _("State"), _("Usage"))
    empty = _("No existing Pods use this object.")
    return table(
        "users",
        Table(title=title, columns=columns, rows=rows, note=more_note(found), problem=found.problem, empty=empty),
        wide=True,
    )


def uses(spec: PodSpec, kind: str, name: str) -> Iterator[str]:
    """How a Pod uses it, a few words for each way; none for a Pod that does not."""
    wanted = ObjectReference(kind=kind, name=name)
    for volume in spec.volumes:
        if wanted in _volume_objects(volume):
            yield _("volume %(name)s") % {"name": volume.name}
    for container in (*spec.init_containers, *spec.containers):
        if wanted in _variable_objects(container):
            yield _("environment of container %(name)s") % {"name": container.name}
    if kind == "Secret" and any(secret.name == name for secret in spec.image_pull_secrets):
        yield _("image pull secret")


def _volume_objects(volume: Volume) -> Iterator[ObjectReference]:
    if volume.config_map:
        yield ObjectReference(kind="ConfigMap", name=volume.config_map.name)
    if volume.secret:
        yield ObjectReference(kind="Secret", name=volume.secret.secret_name)
    if volume.persistent_volume_claim:
        yield ObjectReference(kind="PersistentVolumeClaim", name=volume.persistent_volume_claim.claim_name)
    for source in volume.projected.sources if volume.projected else ():
        if source.config_map:
            yield ObjectReference(kind="ConfigMap", name=source.config_map.name)
        if source.secret:
            yield ObjectReference(kind="Secret", name=source.secret.name)


def _variable_objects(container: Container) -> Iterator[ObjectReference]:
    for variable in container.env:
        source = variable.value_from or EnvVarSource()
        if source.config_map_key_ref:
            yield ObjectReference(kind="ConfigMap", name=source.config_map_key_ref.name)
        if source.secret_key_ref:
            yield ObjectReference(kind="Secret", name=source.secret_key_ref.name)
    for whole in container.env_from:
        if whole.config_map_ref:
            yield ObjectReference(kind="ConfigMap", name=whole.config_map_ref.name)
        if whole.secret_ref:
            yield ObjectReference(kind="Secret", name=whole.secret_ref.name)


def facts_of_container(client: ClusterClient, container: Container, namespace: str) -> Iterator[tuple[str, Cell]]:
    """Pairs for a list of facts; some are empty."""
    yield _("Command"), line(" ".join(container.command), "code")
    yield _("Arguments"), line(" ".join(container.args), "code")
    yield _("Ports"), lines(_container_ports(container))
    yield _("Requests"), lines(_amounts(container.resources.requests))
    yield _("Limits"), lines(_amounts(container.resources.limits))
    yield _("Readiness probe"), line(probe(container.readiness_probe))
    yield _("Liveness probe"), line(probe(container.liveness_probe))
    yield _("Startup probe"), line(probe(container.startup_probe))
    yield _("Environment"), tuple(environment(client, container, namespace))
    yield _("Mounts"), lines(_mounts(container))
    yield _("Security"), lines(_security(container.security_context))
    yield _("Pull policy"), line(container.image_pull_policy)


def _container_ports(container: Container) -> Iterator[str]:
    for port in container.ports:
        number = f"{port.container_port}/{port.protocol or 'TCP'}"
        words = f"{number} {port.name}" if port.name else number
        if port.host_port:
            words = _("%(port)s (port %(host)s of the node)") % {"port": words, "host": port.host_port}
        yield words


def _amounts(amounts: Mapping[str, str]) -> Iterator[str]:
    yield from (f"{key}: {amount}" for key, amount in amounts.items())


def probe(spec: Probe | None) -> str:
    """'GET :8080/healthz, every 10 s, 3 failures'; '' for none."""
    if spec is None or spec == Probe():
        return ""
    what = ""
    if http := spec.http_get:
        secure = "https " if http.scheme == "HTTPS" else ""
        what = f"GET {secure}{http.host}:{http.port}{http.path or '/'}"
    elif spec.tcp_socket:
        what = _("connects to port %(port)s") % {"port": spec.tcp_socket.port}
    elif spec.grpc:
        what = _("gRPC health check on port %(port)s") % {"port": spec.grpc.port}
    elif spec.exec:
        what = " ".join(spec.exec.command)
    parts = [
        what,
        _("initial delay %(n)s s") % {"n": spec.initial_delay_seconds} if spec.initial_delay_seconds else "",
        _("every %(n)s s") % {"n": spec.period_seconds or 10},
        _("failure threshold %(n)s") % {"n": spec.failure_threshold or 3},
    ]
    return ", ".join(part for part in parts if part)


def environment(client: ClusterClient, container: Container, namespace: str) -> Iterable[Bit]:
    """A line for each variable: its value, or a link to where its value is kept."""
    for source in container.env_from:
        for kind, reference in (("Secret", source.secret_ref), ("ConfigMap", source.config_map_ref)):
            if reference:
                name = reference.name
                words = _("%(prefix)s* from all keys of %(kind)s %(name)s") % {
                    "prefix": source.prefix,
                    "kind": kind,
                    "name": name,
                }
                yield from see(client=client, group="", kind=kind, name=name, namespace=namespace, words=words)
    for variable in container.env[:_ENVIRONMENT]:
        yield from _variable(client, variable, namespace)
    if len(container.env) > _ENVIRONMENT:
        yield Bit(text=_("and %(n)d more") % {"n": len(container.env) - _ENVIRONMENT}, look="muted")


def _variable(client: ClusterClient, variable: EnvVar, namespace: str) -> Cell:
    name, source = variable.name, variable.value_from or EnvVarSource()
    for kind, reference in (("Secret", source.secret_key_ref), ("ConfigMap", source.config_map_key_ref)):
        if reference:
            words = _("%(name)s from %(kind)s %(from)s, key %(key)s") % {
                "name": name,
                "kind": kind,
                "from": reference.name,
                "key": reference.key,
            }
            return see(client=client, group="", kind=kind, name=reference.name, namespace=namespace, words=words)
    if field := source.field_ref.field_path:
        return line(_("%(name)s from the Pod's %(field)s") % {"name": name, "field": field})
    if amount := source.resource_field_ref.resource:
        return line(_("%(name)s from the container's %(field)s") % {"name": name, "field": amount})
    return line(f"{name}={variable.value}", "code")


def _mounts(container: Container) -> Iterator[str]:
    for mount in container.volume_mounts:
        words = f"{mount.mount_path} ← {mount.name}{f'/{mount.sub_path}' if mount.sub_path else ''}"
        yield _("%(mount)s (read-only)") % {"mount": words} if mount.read_only else words


def _security(context: SecurityContext) -> Iterator[str]:
    if context.privileged:
        yield _("privileged: full access to the node")
    if context.allow_privilege_escalation:
        yield _("privilege escalation allowed")
    if context.run_as_user != "":
        yield _("runs as user %(id)s") % {"id": context.run_as_user}
    if context.run_as_non_root:
        yield _("never runs as root")
    if context.read_only_root_filesystem:
        yield _("root file system is read-only")
    if added := context.capabilities.add:
        yield _("added capabilities: %s") % ", ".join(added)
    if dropped := context.capabilities.drop:
        yield _("dropped capabilities: %s") % ", ".join(dropped)


PANELS: dict[Kind, Maker] = {("", "Pod"): panels}
