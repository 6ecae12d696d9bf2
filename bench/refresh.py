"""What making the catalog index costs: the PackageManifests of a cluster, and the catalogs that the console reads
itself. In a process of its own.

`python -m bench.refresh CATALOG` prints JSON; its environment names the cluster and a data folder that may be filled.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import django
from django.core.management import call_command

from bench.console import ROOT, Running
from bench.figures import Figure, figure
from kube.client import ClusterClient

if __name__ == "__main__":
    # Models can be imported afterwards only.
    django.setup()
    from console.web.clusters import console_client
    from operatorhub.indexing import index, refresh, rows
    from operatorhub.models import Catalog


def measure(running: Running, catalog: Path) -> list[Figure]:
    """Figures of one process with an empty database."""
    with tempfile.TemporaryDirectory(prefix="bench-refresh-") as data:
        environment = {
            **os.environ,
            "DATA_DIR": data,
            "KUBECONFIG": str(running.data / "sandbox" / "kubeconfig"),
            "DJANGO_SETTINGS_MODULE": "console.settings",
            "DATABASE_URL": f"sqlite:///{data}/console.sqlite3",
            "LOG_LEVEL": "ERROR",
            # As `make run` does: folders can be read.
            "LOCAL_ONLY": "1",
        }
        command = [sys.executable, "-m", "bench.refresh", str(catalog)]
        output = subprocess.run(command, env=environment, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    found = json.loads(output.splitlines()[-1])
    return [
        figure("index refresh: PackageManifests, first time", "s", [found["first"]], "5"),
        figure("index refresh: PackageManifests, nothing new", "s", found["again"], "5"),
        figure("catalog of a folder: read, and read again", "s", [found["folder"], found["folder again"]]),
        figure("webhooks and rights of all packages, first time", "s", [found["judged"]]),
        figure("webhooks and rights, nothing new", "s", [found["judged again"]]),
        figure("file-based catalog, whole bundles inline: read", "s", [found["fbc"]]),
        figure("file-based catalog: read again, nothing new", "s", [found["fbc again"]]),
        figure(
            f"file-based catalog of {found['megabytes']:.0f} MB: most memory of the process",
            "MiB",
            [found["memory"]],
            "500",
        ),
    ]


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _read(row: "Catalog", client: ClusterClient) -> None:
    """Fails if the catalog can't be read: a refusal is quick, too."""
    assert refresh.refresh(row, client, force=True), Catalog.objects.get(pk=row.pk).error


def main(catalog: Path) -> None:
    call_command("migrate", verbosity=0)
    client = console_client()
    found: dict[str, object] = {"first": _timed(lambda: index.build(client))}
    found["again"] = [_timed(lambda: index.build(client)) for _ in range(3)]
    row = Catalog.objects.create(cluster=client.name, kind=Catalog.FOLDER, name="folder", location=str(catalog))
    found["folder"] = _timed(lambda: _read(row, client))
    found["judged"] = _timed(lambda: rows.review_bundles(client.name))
    found["judged again"] = _timed(lambda: rows.review_bundles(client.name))
    found["folder again"] = _timed(lambda: _read(row, client))
    with tempfile.TemporaryDirectory(prefix="bench-fbc-") as folder:
        found["megabytes"] = fbc(catalog, Path(folder) / "catalog.json")
        whole = Catalog.objects.create(cluster=client.name, kind=Catalog.FOLDER, name="fbc", location=folder)
        found["fbc"] = _timed(lambda: _read(whole, client))
        found["fbc again"] = _timed(lambda: _read(whole, client))
    found["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(found))


def fbc(catalog: Path, target: Path) -> float:
    """All bundles of the folder in one file, manifests inline, as `opm render` writes them; made by another process,
    whose memory does not count. Megabytes.
    """
    subprocess.run(
        [sys.executable, "-m", "bench.fbc", str(catalog), str(target)], check=True, cwd=ROOT, env=dict(os.environ)
    )
    return target.stat().st_size / 1e6


if __name__ == "__main__":
    main(Path(sys.argv[1]))
