"""Resolves the Subscriptions of a namespace to bundles, with their dependencies. Neither writes nor waits.

OLM solves this as a satisfiability problem; here it is a walk: each Subscription to its channel's best bundle, then
each unmet requirement to the best provider. Where there is no answer, the sentence is OLM's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

from ..catalog.manifests import Api
from ..catalog.store import CatalogStore, ChannelBundle
from ..catalog.versions import within


class Unsatisfiable(Exception):
    """There is no set of bundles that meets every requirement."""

    def __init__(self, *reasons: str):
        super().__init__("constraints not satisfiable: " + ", ".join(reasons))


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """A CSV that is in force in the namespace.

    ``subscribed`` says whether a Subscription follows it, ``subscription`` which one.
    """

    name: str
    version: str
    provides: frozenset[Api]
    subscribed: bool
    subscription: str = ""
    namespace: str = ""
    package: str = ""

    @property
    def identifier(self) -> str:
        """As OLM writes it in its messages."""
        return f"@existing/{self.namespace}//{self.name}"

    def reasons(self) -> list[str]:
        """Why the CSV is installed, in the words of OLM's resolver."""
        if not self.subscribed:
            return [f"clusterserviceversion {self.name} exists and is not referenced by a subscription"]
        if not self.subscription:
            return []
        name = self.subscription
        return [f"subscription {name} exists", f"subscription {name} requires {self.identifier}"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A Subscription, as far as resolution goes.

    ``current`` is its CSV in the cluster, None before the first install.
    """

    name: str
    package: str
    channel: str
    starting_csv: str
    catalog: str
    catalog_namespace: str
    current: Installed | None


@dataclass(frozen=True, slots=True)
class SelectedBundle:
    """A bundle to install. ``subscription`` is empty for one that another bundle requires."""

    bundle: ChannelBundle
    subscription: str
    catalog_namespace: str
    replaces: str

    @property
    def identifier(self) -> str:
        """As OLM writes it in its messages."""
        bundle = self.bundle
        return f"{bundle.catalog}/{self.catalog_namespace}/{bundle.channel}/{bundle.name}"


class Resolution:
    """One namespace. ``catalogs`` are the names of those that may be searched, the best first."""

    def __init__(
        self, store: CatalogStore, catalogs: Iterable[str], catalog_namespace: str, installed: Iterable[Installed]
    ):
        self._store = store
        self._catalogs = list(catalogs)
        self._namespace = catalog_namespace
        self._installed = list(installed)
        self._choices: list[SelectedBundle] = []

    def resolve(self, requests: Iterable[Request]) -> list[SelectedBundle]:
        """The bundles to install; empty when everything is up to date. Raises Unsatisfiable."""
        for request in requests:
            if choice := self._best(request):
                self._take(choice, request)
        self._check_conflicts()
        return self._choices

    def _best(self, request: Request) -> SelectedBundle | None:
        """The bundle that a Subscription asks for; None when the newest is installed."""
        exists = f"subscription {request.name} exists"
        if request.catalog not in self._catalogs or request.catalog_namespace != self._namespace:
            raise Unsatisfiable(
                f"no operators found from catalog {request.catalog} in namespace {request.catalog_namespace} referenced"
                f" by subscription {request.name}",
                exists,
            )
        whole = self._store.bundles(request.catalog, request.package)
        where = f"package {request.package} in the catalog referenced by subscription {request.name}"
        if not whole:
            raise Unsatisfiable(f"no operators found in {where}", exists)
        members = self._members(request, whole)
        where = where.replace("package", f"channel {request.channel} of package", 1)
        if not members:
            raise Unsatisfiable(f"no operators found in {where}", exists)
        if request.current:
            found = next((bundle for bundle in members if replaces(bundle, request.current)), None)
            if found is None or found.name == request.current.name:
                return None
            return SelectedBundle(found, request.name, self._namespace, request.current.name)
        if request.starting_csv:
            members = [bundle for bundle in members if bundle.name == request.starting_csv]
            if not members:
                raise Unsatisfiable(f"no operators found with name {request.starting_csv} in {where}", exists)
        # What the catalog says it replaces goes into the CSV, although nothing is there to be replaced.
        return SelectedBundle(members[0], request.name, self._namespace, members[0].replaces)

    def _members(self, request: Request, whole: list[ChannelBundle]) -> list[ChannelBundle]:
        """The bundles of a Subscription's channel, from its head.

        Without one every channel is followed: the default one first, the others by their names.
        """
        if request.channel:
            return [bundle for bundle in whole if bundle.channel == request.channel]
        default = self._store.default_channel(request.catalog, request.package)
        return sorted(whole, key=lambda bundle: (bundle.channel != default, bundle.channel))

    def _take(self, choice: SelectedBundle, request: Request) -> None:
        """Adds a bundle and, before it, whatever it requires."""
        if any(taken.bundle.name == choice.bundle.name for taken in self._choices):
            return
        self._choices.append(choice)
        for api in choice.bundle.needs_apis:
            if not self._is_provided(api):
                self._take_first(self._providers(api), f"an operator providing an API with {api}", choice, request)
        for needed in choice.bundle.needs_packages:
            if any(taken.bundle.package == needed.name for taken in self._choices):
                continue
            found = [bundle for bundle in self._of_package(needed.name) if within(bundle.version, needed.range)]
            if not any(installed.name == bundle.name for installed in self._installed for bundle in found):
                what = f"an operator with package: {needed.name} and with version in range: {needed.range}"
                self._take_first(found, what, choice, request)

    def _take_first(self, found: list[ChannelBundle], what: str, choice: SelectedBundle, request: Request) -> None:
        if not found:
            raise Unsatisfiable(
                f"bundle {choice.bundle.name} requires {what}",
                f"subscription {request.name} requires {self._root(request).identifier}",
                f"subscription {request.name} exists",
            )
        self._take(SelectedBundle(found[0], "", self._namespace, found[0].replaces), request)

    def _root(self, request: Request) -> SelectedBundle:
        return next(choice for choice in self._choices if choice.subscription == request.name)

    def _is_provided(self, api: Api) -> bool:
        return any(api in installed.provides for installed in self._installed) or any(
            api in choice.bundle.provides for choice in self._choices
        )

    def _providers(self, api: Api) -> list[ChannelBundle]:
        return [bundle for catalog in self._catalogs for bundle in self._store.providers(catalog, api)]

    def _of_package(self, package: str) -> list[ChannelBundle]:
        found = []
        for catalog in self._catalogs:
            default = self._store.default_channel(catalog, package)
            found += self._store.bundles(catalog, package, default) if default else []
        return found

    def _check_conflicts(self) -> None:
        """No two operators may be of one package, or provide the same kind, in one namespace."""
        self._check_installed()
        replaced = {choice.replaces for choice in self._choices}
        others: list[tuple[str, str, frozenset[Api], list[str]]] = [
            (installed.identifier, installed.package, installed.provides, installed.reasons())
            for installed in self._installed
            if installed.name not in replaced
        ]
        for choice in self._choices:
            bundle, name = choice.bundle, choice.subscription
            about = [f"subscription {name} requires {choice.identifier}", f"subscription {name} exists"] if name else []
            for other, package, provides, reasons in others:
                if text := _clash(bundle, package, provides):
                    raise Unsatisfiable(f"{other} and {choice.identifier} {text}", *reasons, *about)
            others.append((choice.identifier, bundle.package, bundle.provides, about))

    def _check_installed(self) -> None:
        """Of two versions of a package that are both there, one is not what a Subscription follows."""
        by_package: defaultdict[tuple[str, str], list[Installed]] = defaultdict(list)
        for csv in self._installed:
            if csv.package:
                by_package[csv.namespace, csv.package].append(csv)
        for found in by_package.values():
            for old, new in product(found, found):
                if not old.subscribed and new.subscription:
                    text = f"{old.identifier} and {new.identifier} originate from package {old.package}"
                    raise Unsatisfiable(text, *old.reasons(), *new.reasons())


def _clash(bundle: ChannelBundle, package: str, provides: frozenset[Api]) -> str:
    """Why two operators can't be installed together: a shared package or kind; empty without one."""
    if package == bundle.package:
        return f"originate from package {package}"
    api = min(bundle.provides & provides, key=str, default=None)
    return f"provide {api.kind} ({api.group}/{api.version})" if api else ""


def replaces(bundle: ChannelBundle, current: Installed) -> bool:
    """Whether a bundle replaces an installed CSV: by ``replaces``, ``skips`` or ``skipRange``.

    A head whose ``skipRange`` has its own version (``>2.7.3`` of 3.0.0) takes its own place and so stays, as OLM's
    resolver has it; without it, it and older bundles with such a range would replace each other endlessly.
    """
    by_name = current.name == bundle.replaces or current.name in bundle.skips
    return by_name or bool(bundle.skip_range and within(current.version, bundle.skip_range))
