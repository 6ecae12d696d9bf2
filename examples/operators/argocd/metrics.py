"""What the operator measures of itself and of its ArgoCDs, under the names that the real one has.

active_argocd_instances_total, active_argocd_instances_by_phase and active_argocd_instance_reconciliation_count:
https://argocd-operator.readthedocs.io/en/latest/usage/custom_metrics/
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

Key = tuple[str, str]


class Metrics:
    """Since the operator was started."""

    def __init__(self) -> None:
        self._phases: dict[Key, str] = {}
        self._passes: Counter[str] = Counter()
        self._failures: Counter[str] = Counter()

    def seen(self, namespace: str, name: str, body: Mapping[str, Any] | None) -> None:
        """An ArgoCD as it is now; None when it is gone."""
        if body is None:
            self._phases.pop((namespace, name), None)
        else:
            self._phases[namespace, name] = str((body.get("status") or {}).get("phase") or "Pending")

    def counted(self, work: Callable[[str, str], Awaitable[None]]) -> Callable[[str, str], Awaitable[None]]:
        """The same work, with its passes counted."""

        async def counting(namespace: str, name: str) -> None:
            self._passes[namespace] += 1
            try:
                await work(namespace, name)
            except Exception:
                self._failures[namespace] += 1
                raise

        return counting

    def text(self) -> str:
        """In the text format of Prometheus."""
        phases = Counter(self._phases.values())
        return "".join(
            [
                *_rows("active_argocd_instances_total", "gauge", "ArgoCDs that there are.", {"": len(self._phases)}),
                *_rows(
                    "active_argocd_instances_by_phase",
                    "gauge",
                    "ArgoCDs of each phase.",
                    {f'phase="{item}"': phases[item] for item in ("Available", "Pending")},
                ),
                *_rows(
                    "active_argocd_instance_reconciliation_count",
                    "counter",
                    "Passes in each namespace.",
                    {f'namespace="{name}"': number for name, number in self._passes.items()},
                ),
                *_rows(
                    "argocd_tutorial_reconciliation_failures_total",
                    "counter",
                    "Those of them that failed and are done again.",
                    {f'namespace="{pass_}"': self._failures[pass_] for pass_ in self._passes},
                ),
            ]
        )


def _rows(name: str, kind: str, help_: str, values: Mapping[str, int]) -> list[str]:
    head = f"# HELP {name} {help_}\n# TYPE {name} {kind}\n"
    return [
        head,
        *(f"{name}{{{labels}}} {number}\n" if labels else f"{name} {number}\n" for labels, number in values.items()),
    ]
