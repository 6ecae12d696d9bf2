#!/usr/bin/env python3
"""`make test-forms [DATA=DIR]`: what the forms can do with every kind of a folder of operator bundles, measured on
the pages' HTML.

Per set: schemas and examples; the examples' values, how many of them survive a form that is submitted unchanged, and
how many a user can enter in an empty form (by a control of their own, in the YAML box of what has no schema, under
"Other fields", or by "Edit as YAML"), change and remove; the schemas' leaves that have a control; made-up objects that
survive; and the slowest first paints. Examples are those that pages offer; controls are counted in HTML, those that
can't be used aside. Exit 1 when a share is not 100 %, a file can't be read, a shipped example is offered by no page, or
there is no example at all.
"""

import multiprocessing
import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "catalog"
SLOWEST = 5
LIMIT_MS = 300.0

sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")
os.environ.setdefault("DATA_DIR", str(ROOT / ".data/forms-report"))

import django  # noqa: E402

django.setup()

from tests.forms import bundles, measure, reach  # noqa: E402
from tests.forms.measure import Figures  # noqa: E402


def sets(arguments: list[str]) -> dict[str, list[Path]]:
    """The folders to look at, by the name of their set."""
    if arguments:
        return {Path(folder).name or folder: [Path(folder)] for folder in arguments}
    own = [ROOT / "examples" / "operators" / "packages", ROOT / "tests" / "forms" / "schemas"]
    found = {"own": own, "packages": [SHARED / "packages"], "schemas": [SHARED / "schemas"]}
    return {name: folders for name, folders in found.items() if any(folder.is_dir() for folder in folders)}


def work(unit: Path) -> Figures:
    """The figures of one bundle; a kind that can't be measured is a fault."""
    bundle = bundles.bundle(unit)
    found = Figures(faults=list(bundle.faults), shipped=bundle.examples, offered=bundle.offered)
    for name, form in bundle.forms:
        examples = tuple(example.object for example in form.offer.examples)
        try:
            figures = measure.measure(form, name, examples)
            figures.schema_leaves, missed = reach.missed(form)
            figures.schema_reached = figures.schema_leaves - len(missed)
            figures.faults += [f"{name}: no control for {pointer}" for pointer in missed[:3]]
        except Exception as error:
            figures = Figures(schemas=1, faults=[f"{name}: {type(error).__name__}: {error}"])
        found.add(figures)
        found.paints = sorted(found.paints, reverse=True)[:SLOWEST]
    return found


def share(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,} ({100 * part / whole:.2f} %)" if whole else "none"


def lines(name: str, figures: Figures) -> list[str]:
    ways = figures.ways
    words = {"own": "a control of their own", "box": "YAML boxes", "other": "“Other fields”", "yaml": "“Edit as YAML”"}
    return [
        f"{name}",
        f"  schemas                  {figures.schemas:,} with {figures.schema_leaves:,} leaves",
        f"  leaves with a control    {share(figures.schema_reached, figures.schema_leaves)}",
        f"  shipped examples offered {share(figures.offered, figures.shipped)}",
        f"  examples measured        {figures.examples:,} with {figures.leaves:,} values",
        f"  values round-tripped     {share(figures.preserved, figures.leaves)}",
        f"  values reachable         {share(figures.reached, figures.leaves)}",
        *(f"    by {words[way]:<22} {share(ways[way], figures.leaves)}" for way in words if ways[way]),
        f"  values changed, removed  {figures.changed:,}, {figures.removed:,}",
        f"  made-up objects          {share(figures.generated_kept, figures.generated)} round-tripped",
        "  slowest first paints",
        *(f"    {ms:6.1f} ms {size:9,} bytes  {where}" for ms, size, where in figures.paints[:SLOWEST]),
    ]


def good(figures: Figures) -> bool:
    """Every share is 100 %, and of a share of nothing it is not."""
    return (
        not figures.faults
        and figures.schemas > 0
        and figures.offered == figures.shipped
        and figures.preserved == figures.leaves == figures.reached
        and figures.generated_kept == figures.generated
        and figures.schema_reached == figures.schema_leaves
        and all(ms < LIMIT_MS for ms, _, _ in figures.paints)
    )


def passes(sets_: list[Figures]) -> bool:
    """Whether all sets are good, and at least one example was measured: of nothing nothing is proven."""
    return all(good(figures) for figures in sets_) and any(figures.examples for figures in sets_)


def main() -> int:
    chosen = sets(sys.argv[1:])
    totals: list[Figures] = []
    with multiprocessing.get_context("spawn").Pool(max(1, min(4, os.cpu_count() or 1))) as pool:
        for name, folders in chosen.items():
            began, total = time.monotonic(), Figures()
            units = [unit for folder in folders for unit in bundles.units(folder)]
            for number, figures in enumerate(pool.imap_unordered(work, units), 1):
                total.add(figures)
                total.paints = sorted(total.paints, reverse=True)[:SLOWEST]
                if sys.stderr.isatty():
                    print(f"\r{name}: {number} of {len(units)}", end="", file=sys.stderr, flush=True)
            if sys.stderr.isatty():
                print("\r\033[K", end="", file=sys.stderr)
            print("\n".join(lines(name, total)))
            print(f"  {len(units):,} bundles and files in {time.monotonic() - began:.0f} s", flush=True)
            for fault in total.faults[:40]:
                print(f"  FAULT {fault[:400]}")
            totals.append(total)
    fine = passes(totals)
    print(
        "test-forms: all shares are 100 %"
        if fine
        else "test-forms: NOT 100 %, or faults, or a first paint over 300 ms, or nothing to measure"
    )
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
