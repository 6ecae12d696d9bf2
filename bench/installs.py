"""`python -m bench.installs`: does the hundredth operator install as quickly as the fifth?

The same five are compared, early and late.

And do API and pages stay quick while eleven Subscriptions resolve at once? On embedded clusters of its own with the
catalog of real packages; eleven at once a second time with the console before it. Prints a table and writes
bench/latest-installs.json. Seconds of the clock depend on what else the machine does; processor seconds of the cluster
hardly do.
"""

import argparse
import http.client
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import yaml

from bench.console import CATALOG, ROOT, console
from console.processes.supervisor import die_with_parent

OPERATORS = "/apis/operators.coreos.com/v1alpha1"
CLUSTER_NAMESPACE = "operators"
#: An operator that isn't installed by then is left out.
PATIENCE_SECONDS = 30.0
#: After an operator that was left out, so that its cleanup isn't part of the next install.
QUIET_SECONDS = 20.0
#: The same for all that were asked for in one moment.
BURST_SECONDS = 180.0
#: Pages that are asked for while Subscriptions resolve.
PAGES = ("/", "/operatorhub/", "/operators/", "/resources/core/v1/pods/", "/namespaces/")


@dataclass(slots=True)
class Cluster:
    """The embedded cluster, as its administrator sees it."""

    address: str
    token: str
    process: psutil.Process
    failures: list[str] = field(default_factory=list)

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        connection = http.client.HTTPConnection(self.address, timeout=120)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def get(self, path: str) -> Any:
        return self.ask("GET", path)[1]

    def processor_seconds(self) -> float:
        times = self.process.cpu_times()
        return float(times.user + times.system)


def catalogs_read(found: Cluster) -> bool:
    """Whether all catalogs have been read: before that, packages are missing."""
    sources = found.get(f"{OPERATORS}/catalogsources").get("items") or []
    states = [
        ((source.get("status") or {}).get("connectionState") or {}).get("lastObservedState") for source in sources
    ]
    return bool(states) and set(states) == {"READY"}


@contextmanager
def cluster(catalog: Path) -> Iterator[Cluster]:
    """An embedded cluster that has read the catalog."""
    with tempfile.TemporaryDirectory(prefix="bench-installs-") as name:
        data, log = Path(name, "data"), Path(name, "log")
        command = [sys.executable, "-m", "sandbox", "serve", "--data", str(data), "--catalog", str(catalog)]
        with log.open("wb") as sink:
            started = subprocess.Popen(
                [*command, "--parent", str(os.getpid())], cwd=ROOT, stdout=sink, stderr=sink, preexec_fn=die_with_parent
            )
        try:
            while b"cluster ready" not in log.read_bytes():
                if started.poll() is not None:
                    raise SystemExit(log.read_text())
                time.sleep(0.05)
            config = yaml.safe_load((data / "kubeconfig").read_text())
            address = config["clusters"][0]["cluster"]["server"].removeprefix("https://")
            found = Cluster(address, config["users"][0]["user"]["token"], psutil.Process(started.pid))
            while not catalogs_read(found):
                time.sleep(0.2)
            yield found
        finally:
            started.terminate()
            started.wait(20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """What a Subscription needs to say, and the modes that the operator supports."""

    name: str
    channel: str
    catalog: str
    csv: str
    modes: frozenset[str]


def packages(found: Cluster) -> list[Package]:
    """Those that can be installed for the whole cluster, or for their own namespace."""
    items = found.get("/apis/packages.operators.coreos.com/v1/namespaces/olm/packagemanifests")["items"]
    result = []
    for item in sorted(items, key=lambda item: str(item["metadata"]["name"])):
        status = item["status"]
        channel = next(entry for entry in status["channels"] if entry["name"] == status["defaultChannel"])
        modes = frozenset(mode["type"] for mode in channel["currentCSVDesc"]["installModes"] if mode["supported"])
        package = Package(
            name=status["packageName"],
            channel=channel["name"],
            catalog=status["catalogSource"],
            csv=channel["currentCSV"],
            modes=modes,
        )
        if modes & {"AllNamespaces", "OwnNamespace"}:
            result.append(package)
    return result


def subscribe(found: Cluster, package: Package) -> str:
    """Subscribes to it, where its modes allow; the namespace."""
    namespace = CLUSTER_NAMESPACE if "AllNamespaces" in package.modes else f"own-{package.name}"
    if namespace != CLUSTER_NAMESPACE:
        found.ask("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
        group = {
            "apiVersion": "operators.coreos.com/v1",
            "kind": "OperatorGroup",
            "metadata": {"name": "group"},
            "spec": {"targetNamespaces": [namespace]},
        }
        found.ask("POST", f"/apis/operators.coreos.com/v1/namespaces/{namespace}/operatorgroups", group)
    spec = {"name": package.name, "channel": package.channel, "source": package.catalog, "sourceNamespace": "olm"}
    body = {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "Subscription",
        "metadata": {"name": package.name},
        "spec": spec,
    }
    status, answer = found.ask("POST", f"{OPERATORS}/namespaces/{namespace}/subscriptions", body)
    if status != 201:
        raise SystemExit(f"bench-installs: {package.name}: {answer}")
    return namespace


def phase(found: Cluster, package: Package, namespace: str) -> str:
    """The phase of its ClusterServiceVersion, or `refused` when it can't be resolved."""
    path = f"{OPERATORS}/namespaces/{namespace}"
    status, csv = found.ask("GET", f"{path}/clusterserviceversions/{package.csv}")
    if status == 200:
        return str((csv.get("status") or {}).get("phase", ""))
    conditions = (found.get(f"{path}/subscriptions/{package.name}").get("status") or {}).get("conditions") or []
    failed = any(condition["type"] == "ResolutionFailed" and condition["status"] == "True" for condition in conditions)
    return "refused" if failed else ""


def withdraw(found: Cluster, package: Package, namespace: str) -> None:
    for plural, name in (("subscriptions", package.name), ("clusterserviceversions", package.csv)):
        found.ask("DELETE", f"{OPERATORS}/namespaces/{namespace}/{plural}/{name}")
    until = time.monotonic() + QUIET_SECONDS
    while time.monotonic() < until:
        before = found.processor_seconds()
        time.sleep(1.0)
        if found.processor_seconds() - before < 0.1:
            return


def one_after_the_other(found: Cluster, offered: list[Package], count: int) -> list[dict[str, Any]]:
    """A row for each operator that was installed."""
    rows: list[dict[str, Any]] = []
    while offered and len(rows) < count:
        package = offered.pop(0)
        started, processor = time.monotonic(), found.processor_seconds()
        namespace = subscribe(found, package)
        state = ""
        while state not in ("Succeeded", "Failed", "refused") and time.monotonic() - started < PATIENCE_SECONDS:
            time.sleep(0.1)
            state = phase(found, package, namespace)
        if state != "Succeeded":
            withdraw(found, package, namespace)
            print(f"     {package.name}: {state or 'no end'}, left out", flush=True)
            continue
        seconds, spent = time.monotonic() - started, found.processor_seconds() - processor
        rows.append({"name": package.name, "seconds": round(seconds, 2), "processor_seconds": round(spent, 2)})
        print(f"{len(rows):4} {package.name:48} {seconds:6.1f} s {spent:6.2f} CPU s", flush=True)
    return rows


def at_once(found: Cluster, offered: list[Package], count: int, look: Callable[[], int]) -> dict[str, Any]:
    """So many Subscriptions in one moment: how long ``look`` takes meanwhile, a request that returns its status."""
    chosen = [package for package in offered if "AllNamespaces" in package.modes][:count]
    took: list[float] = []
    statuses: Counter[int] = Counter()
    ended = threading.Event()

    def keep_looking() -> None:
        while not ended.is_set():
            before = time.monotonic()
            statuses[look()] += 1
            took.append(time.monotonic() - before)
            time.sleep(0.02)

    looking = threading.Thread(target=keep_looking, daemon=True)
    looking.start()
    started, processor = time.monotonic(), found.processor_seconds()
    for package in chosen:
        subscribe(found, package)
    left = list(chosen)
    while left and time.monotonic() - started < BURST_SECONDS:
        time.sleep(0.2)
        left = [package for package in left if phase(found, package, CLUSTER_NAMESPACE) not in ("Succeeded", "refused")]
    seconds, spent = time.monotonic() - started, found.processor_seconds() - processor
    ended.set()
    looking.join()
    return {
        "subscriptions": len(chosen),
        "unfinished": len(left),
        "seconds": round(seconds, 1),
        "processor_seconds": round(spent, 1),
        "answers": {str(status): number for status, number in sorted(statuses.items())},
        "answer_median_ms": round(statistics.median(took) * 1000, 1),
        "answer_longest_ms": round(max(took) * 1000),
    }


def of_the_api(catalog: Path, count: int) -> dict[str, Any]:
    """What a list of Pods takes, on a cluster without the console."""
    with cluster(catalog) as found:
        pods = "/api/v1/namespaces/default/pods"
        return at_once(found, installable(found), count, lambda: found.ask("GET", pods)[0])


def of_pages(catalog: Path, count: int) -> dict[str, Any]:
    """What pages of the console take, one after the other."""
    with console(catalog=catalog) as running:
        config = yaml.safe_load((running.data / "sandbox/kubeconfig").read_text())
        address = config["clusters"][0]["cluster"]["server"].removeprefix("https://")
        family = psutil.Process(running.process.pid).children(recursive=True)
        sandbox = next(member for member in family if "sandbox" in member.cmdline())
        found = Cluster(address, config["users"][0]["user"]["token"], sandbox)
        while not catalogs_read(found):
            time.sleep(0.2)
        pages = itertools.cycle(PAGES)

        def fetch_next_page() -> int:
            try:
                with urllib.request.urlopen(f"{running.url}{next(pages)}", timeout=120) as answer:
                    answer.read()
                    return int(answer.status)
            except urllib.error.HTTPError as refused:
                return refused.code

        for _ in PAGES:
            fetch_next_page()
        return at_once(found, installable(found), count, fetch_next_page)


def installable(found: Cluster) -> list[Package]:
    """Without the first (3scale): its bundle has a ServiceMonitor, so the plan of all waits for the Prometheus
    operator.
    """
    return packages(found)[1:]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.installs", description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="operators to install one after the other; 0 for none")
    parser.add_argument(
        "--at-once", type=int, default=11, help="Subscriptions made in one moment on a cluster of their own; 0 for none"
    )
    parser.add_argument("--catalog", type=Path, default=CATALOG)
    asked = parser.parse_args()
    if not asked.catalog.is_dir():
        raise SystemExit(f"bench-installs: there is no catalog {asked.catalog}")
    burst = {}
    if asked.at_once:
        burst = {"api": of_the_api(asked.catalog, asked.at_once), "pages": of_pages(asked.catalog, asked.at_once)}
        print(json.dumps(burst, indent=1), flush=True)
    if not asked.count:
        return
    with cluster(asked.catalog) as found:
        offered = {package.name: package for package in packages(found)}
        rows = one_after_the_other(found, list(offered.values()), asked.count)
    late = rows[-5:]
    again = [offered[row["name"]] for row in (*rows[:2], *late)]
    with cluster(asked.catalog) as found:
        early = one_after_the_other(found, again, len(again))[2:]
    result = {
        "operators": len(rows),
        **{
            f"{name}_{what}": round(statistics.median(row[what] for row in part), 2)
            for name, part in (("fifth", early), ("last", late))
            for what in ("seconds", "processor_seconds")
        },
        "at_once": burst,
    }
    print(json.dumps(result, indent=1))
    (ROOT / "bench/latest-installs.json").write_text(
        json.dumps({**result, "rows": rows, "fifth": early}, indent=1) + "\n"
    )


if __name__ == "__main__":
    main()
