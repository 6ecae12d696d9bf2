"""“The same with kubectl”: the blocks of pages, run as if pasted into a shell."""

import json
import os
import re
import shlex
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape, unescape
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
_HERE = "tests/operatorhub"
_BUTTONS = f"{_HERE}/test_kubectl_blocks.py::test_kubectl_does_what_the_button_does"
_READS = f"{_HERE}/test_kubectl_reads.py::test_kubectl_reads_what_the_page_shows"
_PODS = f"{_HERE}/test_kubectl_reads.py"
_OLM = f"{_HERE}/test_kubectl_operators.py"
_EXTENSION = f"{_HERE}/test_extensions.py::test_from_the_form_to_the_next_version_and_to_nothing"

#: Each template with a block, and the test that runs it.
TEMPLATES = {
    "operatorhub/approve_updates.html": f"{_OLM}::test_approving_several_plans",
    "operatorhub/deletion.html": _BUTTONS,
    "operatorhub/export.html": f"{_HERE}/test_export.py::test_from_one_namespace_to_another_as_a_folder",
    "operatorhub/extension_form.html": _EXTENSION,
    "operatorhub/install.html": _BUTTONS,
    "operatorhub/plan.html": f"{_OLM}::test_approving_a_plan",
    "operatorhub/removal.html": f"{_OLM}::test_the_last_way_out",
    "operatorhub/run.html": f"{_OLM}::test_a_bundle_runs_and_goes",
    "operatorhub/subscription.html": _BUTTONS,
    "operatorhub/extension_delete.html": _EXTENSION,
    "operatorhub/group.html": _BUTTONS,
    "operatorhub/plan_deny.html": f"{_OLM}::test_dismissing_an_update",
    "operatorhub/run_remove.html": f"{_OLM}::test_a_bundle_runs_and_goes",
    "operatorhub/source_form.html": _BUTTONS,
    "operatorhub/undo.html": f"{_OLM}::test_cancelling_an_installation",
    "operatorhub/uninstall.html": f"{_OLM}::test_uninstalling",
    "resources/access.html": _READS,
    "resources/access_give.html": f"{_HERE}/test_kubectl_blocks.py::test_access_is_given_and_taken_away",
    "resources/access_remove.html": f"{_HERE}/test_kubectl_blocks.py::test_access_is_given_and_taken_away",
    "resources/act.html": _BUTTONS,
    "resources/bulk.html": _BUTTONS,
    "resources/debug.html": f"{_PODS}::test_a_debug_container",
    "resources/delete.html": _BUTTONS,
    "resources/detail.html": _READS,
    "resources/environment.html": _BUTTONS,
    "resources/events.html": _READS,
    "resources/explain.html": _READS,
    "resources/finalizers.html": _BUTTONS,
    "resources/forward.html": f"{_PODS}::test_a_forwarded_port",
    "resources/import.html": f"{_HERE}/test_kubectl_blocks.py::test_an_import",
    "resources/kinds/_node.html": f"{_HERE}/test_kubectl_blocks.py::test_each_way_a_node_is_cordoned",
    "resources/labels.html": _BUTTONS,
    "resources/_list.html": _READS,
    "resources/logs.html": _READS,
    "resources/rollback.html": f"{_HERE}/test_kubectl_blocks.py::test_a_rollback",
    "resources/terminal.html": f"{_PODS}::test_a_terminal",
    "resources/types.html": _READS,
    "resources/who_can.html": _READS,
}


@dataclass(frozen=True, slots=True)
class Kubectl:
    """``kubectl(block)`` returns what was printed. `endless`: it is stopped after so many seconds."""

    kubeconfig: Path
    cache: Path

    def __call__(self, block: str, *, stdin: str = "", endless: int = 0, folder: Path | None = None) -> str:
        environment = {**os.environ, "KUBECONFIG": str(self.kubeconfig), "KUBECACHEDIR": str(self.cache)}
        shell = ["timeout", str(endless), "bash", "-c", block] if endless else ["bash", "-c", block]
        done = subprocess.run(
            shell, env=environment, input=stdin, capture_output=True, text=True, timeout=60, check=False, cwd=folder
        )
        assert done.returncode in ((0, 124) if endless else (0,)), f"{block}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr


def block_of(
    page: Any, ticked: Iterable[str] = (), of: str = "(kubectl|echo) ", typed: Mapping[str, str] | None = None
) -> str:
    """The page's only block of those that begin like `of`, as static/js/frame/kubectl.js shows it.

    `ticked`: values that are ticked; `typed`: name → value of its form's fields.
    """
    html = page.content.decode()
    found = [
        (unescape(copied), details)
        for details in re.findall(r'<details class="console-kubectl".*?</details>', html, re.DOTALL)
        for copied in re.findall(r'data-copy="([^"]*)"', details)
    ]
    ((block, details),) = [item for item in found if re.match(of, item[0])]
    if "data-follows" not in details:
        return block
    values = set(ticked)

    def field(found: re.Match[str]) -> str:
        name, before, otherwise, text = (unescape(part) for part in found.groups())
        if typed is None or name not in typed:
            return escape(text)
        value = typed[name].strip()
        return escape(f"{before}{shlex.quote(value)}" if value else otherwise)

    details = re.sub(
        r'<span\s+data-field="([^"]*)"\s+data-before="([^"]*)"\s+data-otherwise="([^"]*)"\s*>([^<]*)</span>',
        field,
        details,
    )
    commands = []
    for attributes, text in re.findall(r"<span\s+data-command([^>]*)>([^<]*)</span>", details):
        ticks, unless = (
            json.loads(unescape(match[1])) if (match := re.search(rf'data-{name}="([^"]*)"', attributes)) else []
            for name in ("ticks", "unless")
        )
        if all(values & set(tick) for tick in ticks) and not values & set(unless):
            commands.append(unescape(text).strip())
    return "\n".join(commands)
