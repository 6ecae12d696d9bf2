"""The clusters that the console connects to, and with which identity (docs/decisions/0025-several-clusters.md).

One context of the kubeconfig is the default; CONTEXTS lists the others that users can switch to. The console's own
identity on each is the kubeconfig's (or the Pod's service account): with SIGN_IN=local all users share it, with
SIGN_IN=token only the worker uses it and users have their own (console/signin/clients.py). The API server alone decides
what an identity can do.

endpoint_of() is a cluster's API server without credentials, for clients with a user's own.
"""

import threading
from collections import Counter
from dataclasses import dataclass, replace
from urllib.parse import quote, unquote

from django.conf import settings

from kube.client import ClusterClient
from kube.config import ClusterConfig, Context, contexts
from kube.errors import InvalidConfig
from kube.renewal import following

PREFIX = "/c/"
_lock = threading.Lock()
_offered: "tuple[Offered, ...] | None" = None
_clients: dict[str, ClusterClient] = {}
_endpoints: dict[str, ClusterConfig] = {}


@dataclass(frozen=True, slots=True)
class Offered:
    """One cluster of the console.

    `context`: of the kubeconfig, '' for its current one or the Pod's own; `user`: as the kubeconfig calls it.

    `alias`: under what its rows, topics and answers are kept; '' of the default one, which goes by its own name.
    `prefix`: before each of its addresses, '' of the default one.
    """

    context: str = ""
    alias: str = ""
    user: str = ""
    prefix: str = ""

    @property
    def default(self) -> bool:
        return not self.prefix


def offered() -> tuple[Offered, ...]:
    """All of them, the default one first.

    Read once a process; while the kubeconfig can't be read, the default one alone.
    """
    global _offered
    with _lock:
        if _offered is None:
            try:
                _offered = _read()
            except InvalidConfig:
                return (Offered(settings.KUBE_CONTEXT),)
        return _offered


def several() -> bool:
    return len(offered()) > 1


def default() -> Offered:
    return offered()[0]


def at(prefix: str) -> Offered | None:
    """The cluster of an address prefix; '' is the default cluster's."""
    return next((cluster for cluster in offered() if cluster.prefix == prefix), None)


def named(cluster: str) -> Offered | None:
    """The cluster by the name in its rows and topics.

    A name that no other cluster has is the default's, if its own client confirms it.
    """
    found = next((candidate for candidate in offered() if candidate.alias and candidate.alias == cluster), None)
    if found is not None:
        return found
    first = default()
    return first if name_of(first) == cluster else None


def name_of(cluster: Offered) -> str:
    """The cluster's name in rows and topics; '' while its kubeconfig can't be read."""
    if cluster.alias:
        return cluster.alias
    try:
        return endpoint_of(cluster).name
    except InvalidConfig:
        return ""


def client_of(cluster: Offered) -> ClusterClient:
    """A client with the console's own identity, created once per process; it follows its kubeconfig and certificates
    (kube/renewal.py).

    Raises kube.errors.KubeError (InvalidConfig) when the kubeconfig can't be read; the next call tries again, so a
    corrected file needs no restart.
    """
    with _lock:
        if cluster.prefix not in _clients:
            _clients[cluster.prefix] = ClusterClient(_following(cluster))
        return _clients[cluster.prefix]


def console_client() -> ClusterClient:
    """The console's own identity on its default cluster.

    What is asked in a request asks request.cluster instead. Raises as client_of().
    """
    return client_of(default())


def endpoint_of(cluster: Offered) -> ClusterConfig:
    """The API server's endpoint without credentials; it follows the kubeconfig as client_of() does.

    Raises InvalidConfig; the next call tries again.
    """
    with _lock:
        if cluster.prefix not in _endpoints:
            _endpoints[cluster.prefix] = _following(cluster, anonymous=True)
        return _endpoints[cluster.prefix]


def endpoint_name(cluster: Offered) -> str:
    """The name under which the cluster's sessions are kept. Raises InvalidConfig."""
    found = endpoint_of(cluster)
    return found.alias or found.name


def endpoint_of_named(cluster: str) -> ClusterConfig | None:
    """The endpoint of the cluster of this name; None if the console has no such cluster. Raises InvalidConfig."""
    endpoint_of(default())  # raises if the kubeconfig can't be read, which doesn't mean that a cluster is gone
    found = named(cluster)
    return endpoint_of(found) if found else None


def segment(context: str) -> str:
    """The context's name as one part of an address, of unreserved characters alone: a proxy that decodes %2F or
    refuses it can't change what it names.
    """
    part = quote(context, safe="@:").replace("~", "%7E").replace("%", "~")
    # Browsers and proxies take these for ways up and away.
    return part.replace(".", "~2E") if part in (".", "..") else part


def context_of(part: str) -> str:
    return unquote(part.replace("~", "%"))


def _following(cluster: Offered, *, anonymous: bool = False) -> ClusterConfig:
    found = following(settings.KUBECONFIG or None, cluster.context or None, anonymous=anonymous)
    return replace(found, alias=cluster.alias) if cluster.alias else found


def _read() -> tuple[Offered, ...]:
    """Raises InvalidConfig. A context that is asked for and not there is left out: its page says so."""
    found = contexts(settings.KUBECONFIG or None)
    wanted = settings.KUBE_CONTEXTS
    first = next(
        (
            context
            for context in found
            if (context.name == settings.KUBE_CONTEXT if settings.KUBE_CONTEXT else context.current)
        ),
        None,
    )
    if first is None and not settings.KUBE_CONTEXT and found and wanted:
        # No current-context: the first that is offered.
        first = next((context for context in found if wanted == ("*",) or context.name == wanted[0]), None)
    if first is None:
        return (Offered(settings.KUBE_CONTEXT),)
    others = [context for context in found if context != first and (wanted == ("*",) or context.name in wanted)]
    names = _names(first, others)
    return (
        Offered(first.name, user=first.user),
        *(
            Offered(context.name, name, context.user, PREFIX + segment(context.name))
            for context, name in zip(others, names, strict=True)
        ),
    )


def _names(first: Context, others: list[Context]) -> list[str]:
    """Of each of the others: the cluster's own where no other context means it, so that another default changes no
    name; else the context's.
    """
    times = Counter(context.cluster for context in (first, *others))
    taken, names = {first.cluster}, []
    for context in others:
        name = context.cluster if context.cluster and times[context.cluster] == 1 else context.name
        while name in taken or (name != context.cluster and times[name]):
            name = f"{name}+"
        taken.add(name)
        names.append(name)
    return names
