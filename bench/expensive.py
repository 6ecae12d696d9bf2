"""What one person's most expensive questions cost the console: processor seconds of the web process and of all
others, time and size. `python -m bench.expensive`.

CPU time is what all users share, and doesn't depend on how busy the machine is. The bounds that hold them are in
console/signin/pace.py (docs/security.md).
"""

import argparse
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import psutil
import yaml

from bench.console import CATALOG, Running, console
from bench.lists import GROUP, PLURAL, fill

#: The largest schema of the catalog of real packages.
SCHEMA = max(CATALOG.glob("*/*/crds/*.yaml"), key=lambda path: path.stat().st_size, default=None)


def web(running: Running) -> psutil.Process:
    family = psutil.Process(running.process.pid).children(recursive=True)
    return next(item for item in family if "uvicorn" in " ".join(item.cmdline()))


def asked(running: Running, path: str) -> str:
    """One line: processor seconds, seconds, megabytes, growth of memory."""
    process = web(running)
    before, memory, began = process.cpu_times(), process.memory_info().rss, time.monotonic()
    try:
        with urllib.request.urlopen(f"{running.url}{path}", timeout=300) as answer:
            status, size = answer.status, sum(len(piece) for piece in iter(lambda: answer.read(65536), b""))
    except urllib.error.HTTPError as error:
        status, size = error.code, len(error.read())
    took, after = time.monotonic() - began, process.cpu_times()
    used = after.user + after.system - before.user - before.system
    grown = (process.memory_info().rss - memory) / 2**20
    return f"{used:6.2f} CPU s  {took:6.2f} s  {size / 1e6:7.2f} MB  {grown:+6.1f} MiB  {status}"


def installed(running: Running, path: Path) -> str:
    """The address of its kind's schema, once it is served."""
    definition = yaml.safe_load(path.read_text())
    definition["metadata"] = {"name": definition["metadata"]["name"]}
    spec = definition["spec"]
    spec.pop("conversion", None)
    running.cluster("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)
    version = next(item["name"] for item in spec["versions"] if item["storage"])
    time.sleep(3)
    return f"/resources/{spec['group']}/{version}/{spec['names']['plural']}"


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--objects", type=int, default=10_000)
    objects = arguments.parse_args().objects
    with console() as running:
        fill(running, objects)
        kind, words = f"/resources/{GROUP}/v1/{PLURAL}", urllib.parse.quote("widget-00")
        questions = {
            "search over all kinds": f"/resources/search/?q={words}",
            "search, nothing found": "/resources/search/?q=nothing-is-called-so",
            f"{objects} objects as CSV": f"{kind}/download/?format=csv&namespace=-",
            f"{objects} objects as JSON": f"{kind}/download/?format=json&namespace=-",
            f"{objects} objects as YAML": f"{kind}/download/?format=yaml&namespace=-",
            "that list, sorted by a column": f"{kind}/?namespace=-&sort=%3DSize",
            "the OpenAPI document": "/api/schema/",
        }
        if SCHEMA is not None:
            path = installed(running, SCHEMA)
            questions[f"the schema of {SCHEMA.stat().st_size / 1e6:.1f} MB as a tree"] = f"{path}/explain/"
            questions["its form"] = f"{path}/new/?namespace=default"
        for name, path in questions.items():
            print(f"{name:45} first {asked(running, path)}", flush=True)
            print(f"{'':45} again {asked(running, path)}", flush=True)


if __name__ == "__main__":
    main()
