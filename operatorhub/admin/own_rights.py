"""Permission to add the console's own catalogs. They are not objects of the cluster, so its RBAC doesn't protect them.

Users who can create CatalogSources in all namespaces can already make the cluster read any image, so they can make the
console read one. Without OLM only a console that listens on its own machine allows it. The same holds for folders:
elsewhere a path would show the server's files to its users.
"""

from collections.abc import Iterable

from django.conf import settings
from django.utils.translation import gettext as _

from console.web.access import can
from kube.client import ClusterClient
from kube.errors import Forbidden, NotFound
from operatorhub import olm
from operatorhub.models import Catalog


def refused(client: ClusterClient) -> str:
    """Why this user can't add, refresh or remove the console's own catalogs; '' if they can."""
    try:
        answer = can(client, "create", olm.type_of(client, olm.SOURCES))
    except NotFound:
        if settings.LOCAL_ONLY and not client.config.session:
            return ""
        return _(
            "This cluster has no OLM to check who can add catalogs, so only a console that listens only "
            "on localhost allows it."
        )
    if answer.allowed:
        return ""
    return answer.reason or _(
        "Changing the console's own catalogs requires permission to create CatalogSources in all namespaces."
    )


def may_name(client: ClusterClient) -> None:
    """Raises Forbidden if the user can't make the console read an address or image, which it does from its own network
    with its own registry credentials. Requires the permission to make the cluster do the same: create CatalogSources
    or, without OLM, CustomResourceDefinitions. Without sign-in all users share the console's identity and have it.
    """
    if not client.config.session:
        return
    try:
        answer = can(client, "create", olm.type_of(client, olm.SOURCES))
    except NotFound:
        answer = can(client, "create", client.find("apiextensions.k8s.io", "", "customresourcedefinitions"))
    if not answer.allowed:
        raise Forbidden(
            answer.reason
            or _(
                "Entering addresses and images requires permission to create CatalogSources in all namespaces. Select"
                " files instead."
            )
        )


def hide_folders(client: ClusterClient, rows: Iterable[Catalog]) -> None:
    """Takes folders of the server out of rows that are about to be shown, texts included, for a reader who can't
    change these catalogs.
    """
    found = [row for row in rows if row.kind == Catalog.FOLDER and row.location]
    if not found or not refused(client):
        return
    for row in found:
        row.error = row.error.replace(row.location, "…")
        row.problems = [[str(part).replace(row.location, "…") for part in problem] for problem in row.problems]
        row.location = ""


def folders() -> bool:
    """Whether paths of the console's machine may be named."""
    return bool(settings.LOCAL_ONLY)
