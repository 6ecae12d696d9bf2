"""Puts one sandbox together from its folder: store, registry, verbs, access, application."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from . import crds
from .builtins import builtin
from .cluster import Cluster
from .context import Context
from .errors import NotFound
from .journal import Journal
from .kinds import register
from .oidc import Providers
from .rbac import Authorizer
from .resources import Registry
from .schemas import CRDS
from .server import Application
from .store import Store
from .tokens import Tokens, account_object
from .verbs import Verbs


@dataclass(frozen=True, slots=True)
class Sandbox:
    """All parts; nothing runs yet."""

    journal: Journal
    store: Store
    tokens: Tokens
    cluster: Cluster
    context: Context
    application: Application


def assemble(
    data: Path, catalogs: tuple[Path, ...] = (), images: Path | None = None, authentication: Path | None = None
) -> Sandbox:
    """Opens (or begins) the sandbox that is kept in ``data``. ``authentication``: see sandbox/oidc.py."""
    journal = Journal(data / "cluster.db")
    store = Store(journal)
    registry = Registry(builtin())
    register(CRDS, crds.STRATEGY)
    verbs = Verbs(store, registry)
    reading = verbs.schemas.read
    crds.load(store, registry, reading)
    verbs.hooks[CRDS] = lambda change: crds.hook(store, registry, reading, change)
    tokens = Tokens(store, journal, Providers(authentication or data / "authentication.yaml"))
    access = Authorizer(store)

    def token_for(namespace: str, name: str, secret: str = "") -> str:
        account = account_object(store, namespace, name)
        if account is None:
            raise NotFound("serviceaccounts", name)
        return tokens.issue_for_good(account, secret) if secret else tokens.issue(account)

    context = Context(data, "", data / "kubeconfig", images, catalogs, token_for, data / "tls.crt")
    return Sandbox(journal, store, tokens, Cluster(verbs), context, Application(verbs, context, tokens, access))
