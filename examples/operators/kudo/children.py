"""A KudoOperator task: an Instance of another package, which goes with the one that has it. Pure.

https://kudo.dev/docs/developing-operators/tasks.html#kudooperator-task
"""

from __future__ import annotations

from examples.operators.kubeapi import Object

from .render import Render, RenderError
from .version import API_VERSION, Task


def child(render: Render, task: Task) -> Object:
    """The Instance ``<parent>-<instanceName>``, or ``<parent>-<package>``; RenderError."""
    package = str(task.spec["package"])
    name = f"{render.instance.name}-{task.spec.get('instanceName') or package}"
    spec = {
        "operatorVersion": {"name": f"{package}-{task.spec['operatorVersion']}"},
        "parameters": _parameters(render, task.resources[0]) if task.resources else {},
    }
    obj = {"apiVersion": API_VERSION, "kind": "Instance", "metadata": {"name": name}, "spec": spec}
    return render.marked(obj, task.name)


def _parameters(render: Render, file: str) -> dict[str, str]:
    """The template of ``name: value`` lines, whose values are made texts, as an Instance wants them."""
    written = render.documents(file)
    found = written[0] if written else {}
    if (
        len(written) > 1
        or not isinstance(found, dict)
        or any(isinstance(item, (dict, list)) for item in found.values())
    ):
        raise RenderError(f"templates/{file}: a parameter file has lines of name: value, and nothing else")
    return {
        str(key): str(value).lower() if isinstance(value, bool) else str(value)
        for key, value in found.items()
        if value is not None
    }
