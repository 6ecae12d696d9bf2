"""Checks every existing instance against the schemas of a plan, before it is approved.

OLM does the same while it carries out the plan (validateExistingCRs), but stops at the first object that doesn't fit,
and the plan fails. Here all are found beforehand, with the API server's messages. Objects are read in pages, in each
version that is served before and after; many objects take longer than a request, so a Celery task continues, or the
page if there is no worker. Source: operator-lifecycle-manager, pkg/controller/operators/catalog/operator.go.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from console.signin import bearer
from kube import reader
from kube.client import ClusterClient
from kube.errors import Gone, KubeError, NotFound
from kube.objects import KubeObject, name_of, namespace_of
from kube.types.extensions import CustomResourceDefinition
from operatorhub import runs
from operatorhub.models import Run
from operatorhub.upgrade import schema_diff
from operatorhub.upgrade.plans import InstallPlan, PlanStep, read, steps
from structural.nodes import SchemaNode, node_of
from structural.prepare import Malformed, prepare
from structural.validate import validate

__all__ = ["Check", "advance", "begin", "current_check"]
KIND = "plan-check"
PAGE = 500
#: In a request: objects and seconds. What is more is a task's.
AT_ONCE, SECONDS = 1000, 1.5
#: Findings that are kept word for word; all are counted.
KEPT = 300
_CAUSES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One instance that the new schema refuses.

    `defaulted`: a default of the new schema would make it valid, but OLM validates before defaulting.
    """

    crd: str
    group: str
    version: str
    plural: str
    kind: str
    namespace: str
    name: str
    causes: tuple[str, ...]
    defaulted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Progress. `refused`: how many don't fit, of which `findings` are shown. `stale`: no worker is advancing it."""

    state: str
    done: int
    total: int
    refused: int
    findings: tuple[Finding, ...]
    problems: tuple[str, ...]
    rules: int
    kinds: tuple[str, ...]
    stale: bool
    begun: bool = True

    @property
    def percent(self) -> int:
        return min(100, 100 * self.done // self.total) if self.total else 100


def current_check(client: ClusterClient, of: InstallPlan) -> Check:
    """What is known; a check that was never made is begun, and finished at once when it is small."""
    run = Run.objects.filter(key=_key(client, of)).first()
    if run is None or (bearer.is_program(client.config.session) and run.state == "running"):
        # A check of an API client advances with its requests: no worker has its token.
        run = begin(client, of)
    return _check(run)


def begin(client: ClusterClient, of: InstallPlan, *, restart: bool = False) -> Run:
    """Start a check, or continue one here; `restart`: check all objects again."""
    key = _key(client, of)
    if restart:
        Run.objects.filter(key=key).delete()
    run = Run.objects.filter(key=key).first()
    if run is None:
        run = runs.create(
            key=key, kind=KIND, client=client, namespace=of.namespace, name=of.name, document=document(client, of)
        )
    return runs.go_on(client, run, advance, SECONDS)


def _key(client: ClusterClient, of: InstallPlan) -> str:
    return runs.key_of(KIND, client.name, of.uid, client.who)


def document(client: ClusterClient, of: InstallPlan) -> dict[str, Any]:
    """What there is to look at: each served version of each kind whose schema changes."""
    todo: list[dict[str, Any]] = []
    problems: list[str] = []
    rules = 0
    for step in steps(client, of):
        if step.kind != "CustomResourceDefinition":
            continue
        if step.manifest is None:
            problems.append(f"{step.name}: {step.gap}")
            continue
        found, problem, new_rules = _todo(client, step)
        todo += found
        rules += new_rules
        problems += [problem] if problem else []
    return {
        "todo": todo,
        "done": 0,
        "total": sum(item["total"] for item in todo),
        "refused": 0,
        "findings": [],
        "problems": problems,
        "rules": rules,
    }


def _todo(client: ClusterClient, step: PlanStep) -> tuple[list[dict[str, Any]], str, int]:
    try:
        live_crd = client.get(client.find("apiextensions.k8s.io", "", "customresourcedefinitions"), step.name)
    except NotFound:
        return [], "", 0
    except KubeError as error:
        return [], f"{step.name}: {error}", 0
    live, new = reader.read(live_crd, CustomResourceDefinition), reader.read(step.manifest, CustomResourceDefinition)
    before = schema_diff.versions(live)
    found: list[dict[str, Any]] = []
    for name, version in schema_diff.versions(new).items():
        there = before.get(name)
        if there is None or not (there.served and version.served) or there.schema == version.schema:
            continue
        entry: dict[str, Any] = {
            "step": step.number,
            "crd": step.name,
            "group": new.spec.group,
            "version": name,
            "plural": new.spec.names.plural,
            "kind": new.spec.names.kind,
            "continue": "",
            "seen": 0,
            "total": 0,
            "over": False,
        }
        try:
            table = client.table(
                client.find(entry["group"], name, entry["plural"]), limit=1, include="None", whole=True
            )
        except KubeError as error:
            return found, f"{step.name}: {error}", 0
        entry["total"] = len(table.rows) + (table.remaining or 0)
        if entry["total"]:
            found.append(entry)
    return found, "", schema_diff.compare(live, new).rules


def advance(client: ClusterClient, run: Run, seconds: float) -> None:
    """Look at further pages for so long; changes `run`, saves nothing."""
    until = time.monotonic() + seconds
    state = run.document
    every: Mapping[int, PlanStep] = {}
    for entry in state["todo"]:
        if entry["over"]:
            continue
        if not every:
            try:
                every = {step.number: step for step in steps(client, read(client, run.namespace, run.name))}
            except KubeError as error:
                return _end(run, str(error))
        step = every.get(entry["step"])
        if step is None or step.manifest is None:
            return _end(run, _("The plan has changed."))
        version = schema_diff.versions(reader.read(step.manifest, CustomResourceDefinition))[entry["version"]]
        node = node_of(version.schema.open_api_v3_schema)
        while not entry["over"]:
            _page(client, state, entry, node)
            if time.monotonic() > until:
                return None
    run.state = "done"
    return None


def _end(run: Run, problem: str) -> None:
    run.document["problems"].append(problem)
    run.state = "failed"


def _page(client: ClusterClient, state: dict[str, Any], entry: dict[str, Any], node: SchemaNode) -> None:
    try:
        type_ = client.find(entry["group"], entry["version"], entry["plural"])
        page = client.list(type_, limit=PAGE, continue_=entry["continue"], whole=True)
    except Gone:
        # The list changed too much since the last page: this kind from its beginning.
        state["findings"] = [
            finding
            for finding in state["findings"]
            if (finding["crd"], finding["version"]) != (entry["crd"], entry["version"])
        ]
        state["refused"] -= entry.get("refused", 0)
        state["done"] -= entry["seen"]
        entry.update({"continue": "", "seen": 0, "refused": 0})
        return
    except KubeError as error:
        state["problems"].append(f"{entry['crd']} {entry['version']}: {error}")
        entry["over"] = True
        return
    for obj in page.items:
        if found := examine(node, obj):
            entry["refused"] = entry.get("refused", 0) + 1
            state["refused"] += 1
            if len(state["findings"]) < KEPT:
                names = {key: entry[key] for key in ("crd", "group", "version", "plural", "kind")}
                state["findings"].append(
                    {
                        **names,
                        "namespace": namespace_of(obj),
                        "name": name_of(obj),
                        "causes": found[0],
                        "defaulted": found[1],
                    }
                )
    entry["seen"] += len(page.items)
    state["done"] += len(page.items)
    state["total"] = max(state["total"], state["done"])
    entry["continue"], entry["over"] = page.continue_, not page.continue_


def examine(node: SchemaNode, obj: KubeObject) -> tuple[list[str], bool] | None:
    """(the API server's messages, whether a default would make it valid); None for an object that fits.

    As OLM does: nothing pruned, no defaults, no CEL.
    """
    causes = validate(node, obj, None, rules=False)
    if not causes:
        return None
    messages = [f"{cause.field}: {cause.message}" if cause.field else cause.message for cause in causes[:_CAUSES]]
    try:
        prepare(node, obj)
        mended = not validate(node, obj, None, rules=False)
    except Malformed:
        mended = False
    return messages, mended


def _check(run: Run) -> Check:
    state = run.document
    findings = tuple(Finding(**{**finding, "causes": tuple(finding["causes"])}) for finding in state["findings"])
    kinds = tuple(dict.fromkeys(item["kind"] for item in state["todo"]))
    return Check(
        state=run.state,
        done=state["done"],
        total=state["total"],
        refused=state["refused"],
        findings=findings,
        problems=tuple(state["problems"]),
        rules=state["rules"],
        kinds=kinds,
        stale=runs.stale(run),
    )
