"""What the faults did: printed, and kept in .data/faults/ as report.json and report.md."""

import json
import platform
import statistics
from collections import Counter
from typing import Any

import psutil

from tests.faults.programs import ROOT
from tests.faults.scene import Scene, Settled

FOLDER = ROOT / ".data" / "faults"


def figures(scene: Scene, waits: list[float]) -> dict[str, Any]:
    """All that is worth remembering of a run."""
    counts: Counter[str] = Counter()
    for view in scene.views:
        counts.update(view.counts)
    return {
        "seed": scene.seed,
        "machine": f"{psutil.cpu_count()} processors, {platform.machine()}, load {psutil.getloadavg()[0]:.1f}",
        "cluster": scene.all.cluster.name,
        "faults": len(scene.played),
        "by kind": dict(sorted(Counter(played.name for played in scene.played).items())),
        "problems": [f"{played.name}: {played.problem}" for played in scene.played if played.problem],
        "changes": dict(scene.writer.counts),
        "objects": len(scene.writer.written),
        "pages": {"of our own": len(scene.views), "in Chromium": len(scene.tabs)},
        "largest wait, seconds": round(max(waits, default=0.0), 2),
        "median wait, seconds": round(statistics.median(waits), 3) if waits else 0.0,
        "updates waited for": len(waits),
        "older ones ignored": {
            word: counts[word]
            for word in ("stale", "after its end", "list after its end", "older over one connection")
            if counts[word]
        },
        "resyncs": counts["resync"],
        "lists": counts["lists"],
        "connections": counts["connections"],
        "wrong in the end": [line for item in scene.settled for line in item.wrong],
        "went backward in Chromium": scene.backward,
    }


def write(scene: Scene, found: list[Settled], name: str = "report") -> dict[str, Any]:
    """The figures, printed and kept."""
    result = figures(scene, [wait for item in found for wait in item.waits])
    FOLDER.mkdir(parents=True, exist_ok=True)
    timeline = [
        {
            "fault": played.name,
            "began": round(played.began, 2),
            "ended": round(played.ended, 2),
            "problem": played.problem,
        }
        for played in scene.played
    ]
    (FOLDER / f"{name}.json").write_text(json.dumps({**result, "timeline": timeline}, indent=1) + "\n")
    lines = [f"| {word} | {_text(value)} |" for word, value in result.items() if word != "by kind"]
    kinds = [f"| {kind} | {times} |" for kind, times in result["by kind"].items()]
    head = ["# Faults survived", "", "| what | figure |", "|---|---|"]
    text = "\n".join([*head, *lines, "", "| fault | times |", "|---|---|", *kinds, ""])
    (FOLDER / f"{name}.md").write_text(text)
    print(text, flush=True)  # noqa: T201
    return result


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{word}: {number}" for word, number in value.items()) or "–"
    if isinstance(value, list):
        return "; ".join(value[:20]) or "–"
    return str(value)
