"""Puts one sandbox together from its folder: store, registry, verbs, access, application."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from . import crds
from .builtins import builtin
from .cluster import Cluster
from .context import POD_TOKEN_SECONDS, Context
from .errors import NotFound
from .journal import Journal
from .kinds import register
from .objects import Object
from .oidc import Providers
from .rbac import Authorizer
from .resources import Registry
from .schemas import CRDS
from .server import Application
from .store import Store
from .tokens import Tokens, account_object
from .verbs import Verbs


@dataclass(frozen=True, slots=True, kw_only=True)
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

    def found_account(namespace: str, name: str) -> Object:
        account = account_object(store, namespace, name)
        if account is None:
            raise NotFound("serviceaccounts", name)
        return account

    def pod_token(pod: Object, account: str) -> str:
        metadata = pod["metadata"]
        bound = {"name": metadata["name"], "uid": metadata["uid"]}
        return tokens.issue(found_account(metadata["namespace"], account), POD_TOKEN_SECONDS, pod=bound)

    def secret_token(namespace: str, account: str, secret: str) -> str:
        return tokens.issue_for_good(found_account(namespace, account), secret)

    context = Context(
        data_dir=data,
        api_url="",
        admin_kubeconfig=data / "kubeconfig",
        images=images,
        catalogs=catalogs,
        pod_token=pod_token,
        secret_token=secret_token,
        authority=data / "tls.crt",
    )
    return Sandbox(
        journal=journal,
        store=store,
        tokens=tokens,
        cluster=Cluster(verbs),
        context=context,
        application=Application(verbs, context, tokens, access),
    )
