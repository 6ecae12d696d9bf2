"""What kube-apiserver has to say about a Pod that it takes nevertheless (kubernetes/pkg/api/pod/warnings.go)."""

from __future__ import annotations

from .strategy import Object

_OLD_LABELS = {
    "beta.kubernetes.io/arch": 'use "kubernetes.io/arch" instead',
    "beta.kubernetes.io/os": 'use "kubernetes.io/os" instead',
    "failure-domain.beta.kubernetes.io/region": 'use "topology.kubernetes.io/region" instead',
    "failure-domain.beta.kubernetes.io/zone": 'use "topology.kubernetes.io/zone" instead',
    "beta.kubernetes.io/instance-type": 'use "node.kubernetes.io/instance-type" instead',
}


def warnings(pod: Object, old: Object | None) -> list[str]:
    """Of a new Pod; of one that is there nothing is said again."""
    return [] if old is not None else spec_warnings("spec", pod.get("spec") or {})


def spec_warnings(path: str, spec: Object) -> list[str]:
    """Oddities of a PodSpec."""
    found = [
        f"{path}.nodeSelector[{key}]: deprecated since v1.14; {instead}"
        for key, instead in _OLD_LABELS.items()
        if key in (spec.get("nodeSelector") or {})
    ]
    found += [
        f'volume "{volume.get("name")}" (Projected) has no sources provided'
        for volume in spec.get("volumes") or []
        if volume.get("projected") is not None and not any(volume["projected"].get("sources") or [])
    ]
    names: set[str] = set()
    for index, secret in enumerate(spec.get("imagePullSecrets") or []):
        name = secret.get("name") or ""
        if not name:
            found.append(f'{path}.imagePullSecrets[{index}].name: invalid empty name ""')
        elif name in names:
            found.append(f'{path}.imagePullSecrets[{index}].name: duplicate name "{name}"')
        names.add(name)
    for kind in ("initContainers", "containers"):
        for index, container in enumerate(spec.get(kind) or []):
            found += _container(f"{path}.{kind}[{index}]", container)
    return found


def _container(path: str, container: Object) -> list[str]:
    found = []
    for kind in ("limits", "requests"):
        for name in ("memory", "ephemeral-storage"):
            value = str(((container.get("resources") or {}).get(kind) or {}).get(name, ""))
            if value.endswith("m"):
                found.append(
                    f'{path}.resources.{kind}[{name}]: fractional byte value "{value}" is invalid, must be an integer'
                )
    names: set[str] = set()
    for index, variable in enumerate(container.get("env") or []):
        if variable["name"] in names:
            text = f'hides previous definition of "{variable["name"]}", which may be dropped when using apply'
            found.append(f"{path}.env[{index}]: {text}")
        names.add(variable["name"])
    return found + _ports(path, container.get("ports") or [])


def _ports(path: str, ports: list[Object]) -> list[str]:
    found = []
    known: dict[tuple[object, ...], int] = {}
    for index, port in enumerate(ports):
        at = f"{path}.ports[{index}]"
        if port.get("hostIP") and not port.get("hostPort"):
            shown = (
                f"{{Name:{port.get('name') or ''} HostPort:0 ContainerPort:{port['containerPort']} "
                f"Protocol:{port['protocol']} HostIP:{port['hostIP']}}}"
            )
            found.append(f"{at}: hostIP set without hostPort: {shown}")
        key = (port["containerPort"], port["protocol"], port.get("hostIP"), port.get("hostPort"))
        if key in known:
            found.append(f"{at}: duplicate port definition with {path}.ports[{known[key]}]")
        known.setdefault(key, index)
    return found
