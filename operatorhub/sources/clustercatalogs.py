"""OLM v1's ClusterCatalogs: their contents from catalogd, through the API server; or where that serves nothing, from
the image it resolved.

https://github.com/operator-framework/operator-controller/blob/main/docs/api-reference/catalogd-webserver-metas-endpoint.md
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO
from urllib.parse import urlsplit

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.errors import KubeError
from kube.reader import read
from kube.types.olm import ClusterCatalog
from operatorhub.sources.drafts import SourceError

GROUP, VERSION, PLURAL = "olm.operatorframework.io", "v1", "clustercatalogs"
TITLE = "operator-console.dev/display-name"


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogContents:
    """Where the contents are.

    `base`: status.urls.base, '' while nothing is served; `digest`: of the image that was resolved.
    """

    name: str
    base: str
    image: str
    digest: str
    title: str


def read_source(client: ClusterClient, name: str) -> CatalogContents:
    """Raises KubeError, and SourceError for a catalog that has neither: with what its conditions say."""
    catalog = read(client.get(client.find(GROUP, VERSION, PLURAL), name), ClusterCatalog)
    status = catalog.status
    image = status.resolved_source.image.ref
    base = status.urls.base if status.is_serving else ""
    if not base and not image:
        reasons = "; ".join(condition.message for condition in status.conditions if condition.message)
        words = _("The ClusterCatalog %(name)s doesn't serve any content yet. %(said)s")
        raise SourceError(words % {"name": name, "said": reasons})
    digest = f"{image.rpartition('@')[2]} {status.last_unpacked}" if image else ""
    title = catalog.metadata.annotations.get(TITLE, "").strip()
    return CatalogContents(name=name, base=base, image=image, digest=digest, title=title)


@contextmanager
def content(client: ClusterClient, source: CatalogContents) -> Iterator[BinaryIO]:
    """All of the catalog's blobs, through the service proxy: status.urls.base names a Service of the cluster that
    only the API server reaches.
    """
    parts = urlsplit(source.base)
    service, _dot, rest = (parts.hostname or "").partition(".")
    namespace = rest.partition(".")[0]
    if not service or not namespace:
        raise SourceError(
            _("The ClusterCatalog %(name)s names “%(base)s”, which isn't a Service.")
            % {
                "name": source.name,
                "base": source.base,
            }
        )
    scheme = "https:" if parts.scheme == "https" else ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    path = f"/api/v1/namespaces/{namespace}/services/{scheme}{service}:{port}/proxy{parts.path.rstrip('/')}/api/v1/all"
    try:
        body = client.raw("GET", path, accept="*/*")
    except KubeError as error:
        words = _("The contents of the ClusterCatalog %(name)s can't be read: %(error)s")
        raise SourceError(words % {"name": source.name, "error": error}) from error
    yield BytesIO(body)
