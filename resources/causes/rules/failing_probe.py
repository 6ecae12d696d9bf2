"""A container fails its probe: it gets no traffic (readiness), or is killed for it (liveness, startup).

The kubelet's Events Unhealthy, 'Readiness probe failed: HTTP probe failed with statuscode: 500', and Killing,
'Container web failed liveness probe, will be restarted'. Programs fail some while they start, so three are waited for.
A program that the image lacks is 'Readiness probe errored and resulted in unknown state: rpc error: … exec:
"pg_isready": executable file not found in $PATH: unknown', a port name that no container port has 'strconv.Atoi:
parsing "http": invalid syntax'.
https://github.com/kubernetes/kubernetes/blob/v1.33.0/pkg/kubelet/prober/prober.go,
https://github.com/kubernetes/kubernetes/blob/v1.33.0/pkg/kubelet/kuberuntime/kuberuntime_manager.go
"""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from kube.objects import moment
from kube.types.core import Container
from resources.causes import evidence
from resources.causes.cause import Cause, Link, program_reason, shortened
from resources.causes.evidence import ContainerState, Event, Evidence, Item

RANK = 30
ENOUGH = 3
_FAILED = re.compile(
    r"^(?P<kind>Readiness|Liveness|Startup) probe (?:failed|errored)(?: and resulted in [^:]+)?: (?P<why>.*)", re.DOTALL
)
_STATUS = re.compile(r"statuscode: (?P<code>\d+)")
_PORT = re.compile(r'strconv\.Atoi: parsing "(?P<port>[^"]{1,63})": invalid syntax')


def find(item: Item, _evidence: Evidence) -> Iterator[Cause]:
    if not item.is_pod or item.health.ended:
        return
    failing = [container for container in evidence.pod_containers(item) if not container.ready]
    for event in item.events:
        found = _FAILED.match(event.message) if event.reason == "Unhealthy" else None
        if found is None or event.count < ENOUGH:
            continue
        kind = found["kind"].lower()
        container = _of(failing, kind, event)
        if container is None:
            continue
        words = {"name": evidence.container_label(item, container), "why": _why(found["why"])}
        sentence, note = {
            "readiness": (
                _("%(name)s isn't ready: its readiness probe fails: %(why)s"),
                _("It gets no traffic until the probe succeeds."),
            ),
            "liveness": (
                _("%(name)s can't keep running: its liveness probe fails: %(why)s"),
                _("The kubelet restarts the container each time."),
            ),
            "startup": (
                _("%(name)s can't start: its startup probe fails: %(why)s"),
                _("The kubelet restarts the container each time."),
            ),
        }[kind]
        yield Cause(
            sentence=sentence % words,
            rank=RANK if kind == "readiness" else RANK - 1,
            note=note,
            links=item.links(Link(target=item.target, view="logs")),
            raw=event.message,
            since=evidence.not_ready_since(item),
        )
        return


def _of(failing: list[ContainerState], kind: str, event: Event) -> ContainerState | None:
    """The only container with such a probe; None if several have one, or if it has restarted since the probe failed."""
    probed = [container for container in failing if _has_probe(container, kind)]
    if len(probed) != 1:
        return None
    started, seen = moment(probed[0].started), moment(event.seen)
    if kind == "readiness" and started and seen and seen < started:
        return None
    return probed[0]


def _has_probe(container: ContainerState, kind: str) -> bool:
    spec = container.spec or Container()
    probes = {
        "readiness": spec.readiness_probe,
        "liveness": spec.liveness_probe,
        "startup": spec.startup_probe,
    }
    return probes[kind] is not None


def _why(text: str) -> str:
    if found := _STATUS.search(text):
        return _("it responds with HTTP %(code)s") % {"code": found["code"]}
    if found := _PORT.search(text):
        return _("no port of the container is named %(port)s") % {"port": found["port"]}
    if reason := program_reason(text):
        return reason
    if not text.strip():
        return _("its command fails without output")
    if "connection refused" in text:
        return _("nothing listens on its port")
    if any(part in text for part in ("context deadline exceeded", "Client.Timeout", "i/o timeout", "timed out")):
        return _("it doesn't respond in time")
    return shortened(text)
