"""Where a manifest comes from: addresses of the web, one in each line, or uploaded files."""

from collections.abc import Iterable

from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _

from kube import limits
from operatorhub.bootstrap.manifest import ManifestProblem
from operatorhub.sources import web
from operatorhub.sources.drafts import SourceError

SECONDS = 60.0
_ADDRESSES = 8


def texts(urls: str, files: Iterable["UploadedFile[bytes]"]) -> list[tuple[str, str]]:
    """(name, text) of each; uploaded files are taken instead of addresses. Raises ManifestProblem."""
    uploaded = [(str(file.name), _text(str(file.name), file.read(limits.OLM_MANIFEST.value + 1))) for file in files]
    if uploaded:
        return uploaded
    addresses = [line.strip() for line in urls.split("\n") if line.strip()]
    if not addresses:
        raise ManifestProblem(_("Enter an address, or select a file."))
    if len(addresses) > _ADDRESSES:
        raise ManifestProblem(
            _("You entered %(count)d addresses; at most %(most)d can be read at a time.")
            % {"count": len(addresses), "most": _ADDRESSES}
        )
    return [(web.shown(address), _fetched(address)) for address in addresses]


def _fetched(address: str) -> str:
    try:
        answer = web.get(address, most=limits.OLM_MANIFEST.value, seconds=SECONDS)
    except SourceError as error:
        raise ManifestProblem(str(error)) from error
    if answer.status != 200:
        raise ManifestProblem(web.explain(answer))
    return _text(web.shown(address), answer.body)


def _text(name: str, data: bytes) -> str:
    if len(data) > limits.OLM_MANIFEST.value:
        raise ManifestProblem(
            _("%(name)s is larger than 16 MB; a release manifest of OLM has about 1.2 MB.") % {"name": name}
        )
    try:
        found = data.decode()
    except UnicodeDecodeError as error:
        raise ManifestProblem(_("%(name)s isn't a text file. A manifest is YAML in UTF-8.") % {"name": name}) from error
    if found.lstrip()[:9].lower() in ("<!doctype", "<html>"):
        raise ManifestProblem(_("%(name)s is a web page. Use the address of the file itself (“raw”).") % {"name": name})
    return found
