"""A registry by the OCI distribution API, without any container tool: manifests and blobs, each held against its
digest.

Why not oras-py, which would fit: it has no timeout, retries for two minutes, keeps blobs in memory and doesn't verify
digests; a page can't afford that. https://github.com/opencontainers/distribution-spec/blob/main/spec.md ; tokens:
https://distribution.github.io/distribution/spec/auth/token/
"""

import base64
import binascii
import hashlib
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlencode, urlsplit

import msgspec
from django.conf import settings
from django.utils.translation import gettext as _

from kube import limits
from kube.reader import ApiType, Text, read
from operatorhub.sources import web
from operatorhub.sources.drafts import SourceError
from untrusted import json_bounds

MANIFESTS = (
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
)
INDEXES = (
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
)
_SECONDS = 30.0
_REFERENCE = re.compile(
    r"(?P<host>[A-Za-z0-9.-]+(?::\d{1,5})?|\[[0-9a-fA-F:]+\](?::\d{1,5})?)/(?P<path>[a-z0-9]+(?:[._/-]+[a-z0-9]+)*)"
    r"(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9._-]{0,127}))?(?:@(?P<digest>sha256:[0-9a-f]{64}))?"
)
_CHALLENGE = re.compile(r'(?<![a-zA-Z_])([a-zA-Z_]+)="([^"]*)"')


class Platform(ApiType, frozen=True):
    os: Text = ""
    architecture: Text = ""


class BlobDescriptor(ApiType, frozen=True):
    digest: Text = ""
    platform: Platform = Platform()


class ImageManifest(ApiType, frozen=True):
    """Of one image, with `layers`, or an index of images, with `manifests`.

    https://github.com/opencontainers/image-spec/blob/main/manifest.md
    """

    media_type: str = ""
    config: BlobDescriptor = BlobDescriptor()
    layers: tuple[BlobDescriptor, ...] = ()
    manifests: tuple[BlobDescriptor, ...] | None = None


class _Token(ApiType, frozen=True):
    token: Text = ""
    access_token: Text = msgspec.field(default="", name="access_token")


class _Credentials(ApiType, frozen=True):
    auth: Text = ""
    username: Text = ""
    password: Text = ""


class _AuthFile(ApiType, frozen=True):
    auths: dict[str, _Credentials] = {}


@dataclass(frozen=True, slots=True)
class Reference:
    """Where an image is. `tag` 'latest' where neither a tag nor a digest is named."""

    host: str
    path: str
    tag: str
    digest: str

    def __str__(self) -> str:
        return f"{self.host}/{self.path}" + (f"@{self.digest}" if self.digest else f":{self.tag}")

    @property
    def wanted(self) -> str:
        return self.digest or self.tag

    @property
    def base(self) -> str:
        """Plain HTTP for registries of this machine only."""
        host = "registry-1.docker.io" if self.host == "docker.io" else self.host
        return f"{'http' if web.is_loopback(urlsplit(f'//{host}').hostname or '') else 'https'}://{host}/v2/{self.path}"


def parse(reference: str) -> Reference:
    """As container tools read it: docker.io where no host is named, library/ before a single word.

    Raises SourceError.
    """
    given = reference.strip().removeprefix("docker://").removeprefix("oci://")
    first = given.partition("/")[0]
    if "/" not in given or not ("." in first or ":" in first or first == "localhost"):
        given = f"docker.io/{given if '/' in given else f'library/{given}'}"
    found = _REFERENCE.fullmatch(given)
    if found is None:
        words = _(
            "“%(name)s” isn't a valid image name. Use registry/path:tag, for example "
            "quay.io/operatorhubio/catalog:latest."
        )
        raise SourceError(words % {"name": reference})
    return Reference(
        found["host"], found["path"], found["tag"] or ("" if found["digest"] else "latest"), found["digest"] or ""
    )


@dataclass(slots=True)
class Registry:
    """One registry while one image is read: remembers its token."""

    reference: Reference
    authorization: str = ""
    _asked: bool = field(default=False)

    def manifest(self, wanted: str) -> tuple[ImageManifest, str]:
        """The manifest or index of that tag or digest, and its digest. Raises SourceError."""
        accept = ", ".join((*INDEXES, *MANIFESTS))
        answer = self._get(f"manifests/{wanted}", accept, None, limits.IMAGE_MANIFEST.value, _SECONDS)
        digest = f"sha256:{hashlib.sha256(answer.body).hexdigest()}"
        header_digest = answer.headers.get("docker-content-digest", "")
        promised = (
            wanted if wanted.startswith("sha256:") else header_digest if header_digest.startswith("sha256:") else digest
        )
        if promised != digest:
            raise SourceError(self._lie(f"manifest {wanted}", promised, digest))
        try:
            found = read(json_bounds.load(answer.body), ImageManifest)
        except msgspec.DecodeError as error:
            words = _("%(host)s returned no valid manifest for %(image)s: %(error)s.")
            raise SourceError(words % {"host": self.reference.host, "image": self.reference, "error": error}) from error
        if not found.media_type:
            content_type = answer.headers.get("content-type", "").partition(";")[0]
            found = msgspec.structs.replace(found, media_type=content_type)
        return found, digest

    def blob(self, digest: str, sink: BinaryIO, most: int, seconds: float) -> None:
        """A blob, into `sink`; what is not what its digest says is refused. Raises SourceError."""
        if not re.fullmatch(r"sha256:[0-9a-f]{64}", digest):
            words = _("The image %(image)s refers to a part as “%(digest)s”, which isn't a sha256 digest.")
            raise SourceError(words % {"image": self.reference, "digest": digest[:80]})
        hashing = _Hashing(sink)
        self._get(f"blobs/{digest}", "*/*", hashing, most, seconds)
        found = f"sha256:{hashing.sum.hexdigest()}"
        if found != digest:
            raise SourceError(self._lie(f"blob {digest}", digest, found))

    def _lie(self, what: str, promised: str, found: str) -> str:
        words = _(
            "Wrong digest from %(host)s: the %(what)s of %(image)s should have %(promised)s, but has %(found)s. It"
            " was discarded."
        )
        return words % {
            "host": self.reference.host,
            "what": what,
            "image": self.reference,
            "promised": promised[:19],
            "found": found[:19],
        }

    def _get(self, path: str, accept: str, sink: Any, most: int, seconds: float) -> web.HttpResult:
        url = f"{self.reference.base}/{path}"
        for _turn in range(2):
            headers = {"Accept": accept} | ({"Authorization": self.authorization} if self.authorization else {})
            answer = web.get(url, headers=headers, sink=sink, most=most, seconds=seconds)
            if answer.status == 401 and not self._asked:
                self._asked = True
                self.authorization = self._sign_in(answer.headers.get("www-authenticate", ""))
                continue
            break
        if answer.status == 200:
            return answer
        if answer.status in (401, 403):
            words = _(
                "%(host)s denied access to %(image)s (%(status)d). Sign in with “docker login %(host)s”, or "
                "set REGISTRY_AUTH_FILE."
            )
            raise SourceError(words % {"host": self.reference.host, "image": self.reference, "status": answer.status})
        if answer.status == 404:
            words = _("%(image)s doesn't exist on %(host)s. Check the name and the tag.")
            raise SourceError(words % {"host": self.reference.host, "image": self.reference})
        raise SourceError(web.explain(answer))

    def _sign_in(self, challenge: str) -> str:
        """The header that the registry wants: basic as it is, or a token for it. '' when it wants nothing we know."""
        known = credentials(self.reference.host)
        scheme, _space, rest = challenge.partition(" ")
        parameters = dict(_CHALLENGE.findall(rest))
        if scheme.lower() == "basic":
            return known
        if scheme.lower() != "bearer" or not parameters.get("realm"):
            return ""
        query = {key: parameters[key] for key in ("service", "scope") if parameters.get(key)}
        realm = parameters["realm"]
        parts = urlsplit(realm)
        # A password goes out safely, or stays on this machine.
        safe = parts.scheme == "https" or web.is_loopback(parts.hostname or "")
        url = f"{realm}{'&' if parts.query else '?'}{urlencode(query)}"
        answer = web.get(
            url, headers={"Authorization": known} if known and safe else {}, most=1024 * 1024, seconds=_SECONDS
        )
        if answer.status != 200:
            raise SourceError(web.explain(answer))
        try:
            found = read(json_bounds.load(answer.body), _Token)
        except ValueError:
            found = _Token()
        token = found.token or found.access_token
        return f"Bearer {token}" if token and token.isprintable() else ""


class _Hashing:
    """A sink that computes the digest of what goes through."""

    def __init__(self, sink: BinaryIO) -> None:
        self._sink, self.sum = sink, hashlib.sha256()

    def write(self, data: bytes) -> int:
        self.sum.update(data)
        return self._sink.write(data)


def credentials(host: str) -> str:
    """The basic Authorization header for a registry out of REGISTRY_AUTH_FILE; '' without one.

    Helper programs are not run.
    """
    try:
        auths = read(json.loads(Path(settings.REGISTRY_AUTH_FILE).read_bytes()), _AuthFile).auths
    except (OSError, ValueError):
        return ""
    names = [host, f"https://{host}", f"https://{host}/v2/", f"https://{host}/v1/"]
    if host == "docker.io":
        names += ["https://index.docker.io/v1/", "index.docker.io"]
    for name in names:
        entry = auths.get(name, _Credentials())
        given = entry.auth
        if not given and entry.username:
            return web.basic(entry.username, entry.password)
        try:
            if given and b":" in base64.b64decode(given, validate=True):
                return f"Basic {given}"
        except binascii.Error:
            continue
    return ""


def choose(manifests: tuple[BlobDescriptor, ...], machine: str) -> str:
    """The digest of an index's manifest for linux on `machine`, else of any for linux, else the first: catalogs and
    bundles are the same on all. '' without any.
    """
    found = [manifest for manifest in manifests if manifest.digest]
    # Skip attestations.
    found = [manifest for manifest in found if manifest.platform.os != "unknown"] or found

    def rank(manifest: BlobDescriptor) -> tuple[bool, bool]:
        return manifest.platform.os != "linux", manifest.platform.architecture != machine

    return min(found, key=rank).digest if found else ""
