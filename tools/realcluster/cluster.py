"""Starts a whole cluster in order, each part when what it needs is ready, and stops it again in the reverse order."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from . import catalog, nodes, olm, parts
from .build import Programs
from .layout import Layout
from .process import Parts, free_ports

_CRDS_SECONDS, _PACKAGES_SECONDS = 30.0, 120.0


class RealCluster(Parts):
    """One cluster in ``data``, which is emptied first.

    ``with_olm``: with OLM, and ``packages`` in its catalog beside the usual ones.
    """

    def __init__(
        self,
        data: Path,
        programs: Programs,
        say: Callable[[str], None],
        packages: tuple[Path, ...] = (),
        *,
        with_olm: bool = True,
    ):
        shutil.rmtree(data, ignore_errors=True)
        data.mkdir(parents=True, mode=0o700)
        self.programs = programs
        self.layout = Layout.make(data)
        super().__init__(data / "logs", say)
        self._packages = packages
        self._with_olm = with_olm

    @property
    def kubeconfig(self) -> Path:
        """The administrator's."""
        return self.layout.kubeconfig

    def start(self) -> None:
        """Everything is ready on return; PartFailed."""
        started = time.monotonic()
        layout, programs = self.layout, self.programs
        self.run(parts.etcd(layout, programs))
        self.run(parts.apiserver(layout, programs))
        self._apply([parts.kwok_node(), *nodes.objects(layout)])
        self.run(
            parts.controller_manager(layout, programs),
            parts.scheduler(layout, programs),
            parts.kwok(layout, programs),
            nodes.agent(layout, programs),
            nodes.page(layout),
        )
        self.until("its nodes", lambda: nodes.ready(layout), 60)
        if self._with_olm:
            self._start_olm()
        self.times["all"] = time.monotonic() - started
        self._say(f"ready in {self.times['all']:.1f} s")

    def _start_olm(self) -> None:
        layout, programs = self.layout, self.programs
        catalogs = catalog.build(programs.path("opm"), self._say, self._packages, self.layout.data / "argocd-package")
        ports = free_ports(tuple(catalogs))
        self._apply(olm.crds(programs))
        self.until("OLM's types", lambda: all(map(layout.answers, olm.TYPES)), _CRDS_SECONDS)
        self._apply(olm.objects())
        self.run(
            *(olm.registry(layout, programs, name, ports[name], item.folder) for name, item in catalogs.items()),
            olm.operator(layout, programs),
            olm.catalog(layout, programs),
            olm.package_server(layout, programs),
        )
        sources = [olm.catalog_source(name, item, ports[name]) for name, item in catalogs.items()]
        self._apply([*olm.package_service(layout), *sources])
        started = time.monotonic()
        self.until("the catalog's packages", self._has_packages, _PACKAGES_SECONDS)
        self.times["packages"] = time.monotonic() - started

    def _count_packages(self) -> int:
        path = "/apis/packages.operators.coreos.com/v1/namespaces/olm/packagemanifests"
        try:
            _, found = self.layout.ask("GET", path)
        except OSError:
            return 0
        return len((found or {}).get("items", []))

    def _has_packages(self) -> bool:
        """Whether the package server has read the catalog to its end: nothing was added for a second."""
        first = self._count_packages()
        time.sleep(1)
        return first > 0 and self._count_packages() == first

    def _apply(self, objects: list[dict[str, object]]) -> None:
        nodes.apply(self.layout, self.programs, objects)

    def stop(self) -> None:
        """Ends all: the latest started first, the API server and etcd last."""
        started = time.monotonic()
        # What talks to the API server first and together; etcd ends after the API server, which writes to it while it
        # ends.
        for running in self._running[2:]:
            running.terminate()
        self.end()
        self.times["stop"] = time.monotonic() - started
        self._say(f"stopped in {self.times['stop']:.1f} s")


@contextmanager
def running(
    data: Path,
    programs: Programs,
    say: Callable[[str], None],
    packages: tuple[Path, ...] = (),
    *,
    with_olm: bool = True,
) -> Iterator[RealCluster]:
    """A started cluster, stopped at the end whatever happens."""
    cluster = RealCluster(data, programs, say, packages, with_olm=with_olm)
    try:
        cluster.start()
        yield cluster
    finally:
        with contextlib.suppress(subprocess.SubprocessError):
            cluster.stop()
