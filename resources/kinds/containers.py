"""What a container's spec says, in words: of a Pod and of a workload's template alike.

Values that come from Secrets are named, never read.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from resources.kinds.parts import Bit, Cell, line, lines, see
from resources.state.health import items, mapping, text

_ENVIRONMENT = 60


def facts_of(client: ClusterClient, spec: Mapping[str, Any], namespace: str) -> Iterator[tuple[str, Cell]]:
    """Pairs for a list of facts; some are empty."""
    yield _("Command"), line(_words(spec.get("command")), "code")
    yield _("Arguments"), line(_words(spec.get("args")), "code")
    yield _("Ports"), lines(_ports(spec))
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


def _ports(spec: Mapping[str, Any]) -> Iterator[str]:
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
