"""Completion indexes of Indexed Jobs: on Pods as annotation, label and variable, in the status as ``0,2-4``."""

from __future__ import annotations

from ..objects import Object

INDEX = "batch.kubernetes.io/job-completion-index"


def index_of(pod: Object) -> int:
    """The Pod's index, -1 when it has none."""
    text = str((pod["metadata"].get("annotations") or {}).get(INDEX, ""))
    return int(text) if text.isdigit() else -1


def with_index(pod: Object, index: int) -> None:
    """Marks a Pod that is about to be made."""
    for kind in ("labels", "annotations"):
        pod["metadata"][kind] = {**(pod["metadata"].get(kind) or {}), INDEX: str(index)}
    field = {"fieldRef": {"apiVersion": "v1", "fieldPath": f"metadata.labels['{INDEX}']"}}
    for kind in ("containers", "initContainers"):
        for container in pod["spec"].get(kind) or []:
            names = {variable["name"] for variable in container.get("env") or []}
            if "JOB_COMPLETION_INDEX" not in names:
                container["env"] = [*(container.get("env") or []), {"name": "JOB_COMPLETION_INDEX", "valueFrom": field}]


def parse_indexes(text: str) -> set[int]:
    """The indexes that ``0,2-4`` means."""
    found: set[int] = set()
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found


def indexes_text(indexes: set[int]) -> str:
    """Indexes in the shortest notation."""
    runs: list[list[int]] = []
    for index in sorted(indexes):
        if runs and index == runs[-1][1] + 1:
            runs[-1][1] = index
        else:
            runs.append([index, index])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)
