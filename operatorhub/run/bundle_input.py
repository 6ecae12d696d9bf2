"""Reads bundles from the user's input: a folder, an archive, files, a file-based catalog, an address or an image.

Between two requests a bundle travels in the page itself, packed: there is nothing to clean up, nothing that another
process would have to find, and a second tab has its own. It is read again with the same care each time.
"""

import base64
import binascii
import re
import tempfile
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
from django.utils.translation import gettext as _

from kube import limits
from kube.reader import read
from kube.types import meta
from kube.types.olm import ClusterServiceVersion
from operatorhub.bundle.bundles import Bundle
from operatorhub.sources import archive, fbc, fetch, folder, image
from operatorhub.sources.drafts import (
    BundleDraft,
    Contents,
    Draft,
    DraftProblem,
    PackageDraft,
    SourceError,
    contents,
    is_bundle,
    read_documents,
)
from resources.yamltext import YamlProblem
from untrusted import json_bounds

# A blob of a file-based catalog, in JSON or YAML.
_BLOB = re.compile(rb"""(^|[{,\s])["']?schema["']?\s*:\s*["']?olm\.""")


@dataclass(frozen=True, slots=True)
class Given:
    """The bundles in the order of their catalog, the newest of the default channel first; what could not be read;
    `place`: where it came from, for people.
    """

    bundles: tuple[Bundle, ...]
    problems: tuple[DraftProblem, ...]
    place: str

    def find(self, name: str) -> Bundle | None:
        """The bundle of that name; the first one for ''."""
        return next((bundle for bundle in self.bundles if not name or bundle.name == name), None)


@contextmanager
def spread(uploads: Iterable[tuple[str, bytes]], budget: archive.Budget) -> Iterator[Path]:
    """A folder, for as long as it is needed, with what the uploaded files hold: archives unpacked, others as they
    are. Raises SourceError.
    """
    with tempfile.TemporaryDirectory() as place:
        root, packed = Path(place) / "content", Path(place) / "packed"
        root.mkdir()
        for name, data in uploads:
            packed.write_bytes(data)
            if not archive.unpack(packed, root, budget):
                (root / (Path(name).name or "manifest.yaml")).write_bytes(data)
        yield root


def files(uploads: Iterable[tuple[str, bytes]]) -> Given:
    """Of uploaded files, archives or not. Raises SourceError."""
    given = list(uploads)
    with spread(
        given, archive.Budget(limits.RUN_BYTES.value, limits.RUN_FILES.value, limits.RUN_BYTES.value * 2)
    ) as root:
        return _read(root, ", ".join(name for name, _data in given))


def files_of(path: Path) -> Given:
    """Of a folder on this machine. Raises SourceError."""
    return _read(path, path.name)


def address(url: str) -> Given:
    """Of an address of the web: an archive or one file. Raises SourceError."""
    with tempfile.TemporaryDirectory() as place:
        return _read(fetch.fetch(url, Path(place)), url)


def registry(reference: str) -> Given:
    """Of a bundle's image or a catalog's. Raises SourceError."""
    with tempfile.TemporaryDirectory() as place:
        pulled = image.pull(reference, Path(place))
        return _read(pulled.folder or Path(place), reference)


def _read(root: Path, place: str) -> Given:
    found = [*_in_time(_drafts(_top(root)))]
    bundles = [_bundle(draft) for draft in found if isinstance(draft, BundleDraft) and draft.contents is not None]
    problems = tuple(problem for problem in found if isinstance(problem, DraftProblem))
    if not bundles:
        why = "; ".join(f"{problem.place}: {problem.words}" for problem in problems[:3])
        words = _(
            "No bundle found. A bundle has a manifests folder with a ClusterServiceVersion; a catalog "
            "has olm.bundle entries."
        )
        raise SourceError(f"{words} {why}".strip())
    order = {name: place for place, name in enumerate(dict.fromkeys(_newest(found)))}
    bundles.sort(key=lambda bundle: order.get(bundle.name, len(order)))
    return Given(tuple(bundles), problems, place)


def _in_time(drafts: Iterator[Draft]) -> Iterator[Draft]:
    """Short timeouts: a user waits for the page, and a web thread reads."""
    until = time.monotonic() + limits.RUN_SECONDS.value
    for draft in drafts:
        if time.monotonic() > until:
            words = _(
                "The source takes too long to read. Add it to the console's catalogs, and run a bundle from "
                "that catalog."
            )
            raise SourceError(words)
        yield draft


def _top(root: Path) -> Path:
    """Archives often have one folder with everything in it."""
    while not is_bundle(root) and len(inside := [*root.iterdir()]) == 1 and inside[0].is_dir():
        if inside[0].name in ("manifests", "metadata"):
            break
        root = inside[0]
    return root


def _drafts(root: Path) -> Iterator[Draft]:
    # Files that were picked one by one lie beside each other, whatever they are called.
    flat = not any(path.is_dir() for path in root.iterdir())
    if not flat and folder.has_bundles(root):
        yield from folder.drafts(root, whole=True)
        return
    paths = folder.fbc_files(root)
    if any(_BLOB.search(path.read_bytes()) for path in paths):
        with ExitStack() as stack:
            streams = [(str(path.relative_to(root)), stack.enter_context(path.open("rb"))) for path in paths]
            yield from fbc.drafts(streams)
        return
    loose: list[Any] = []
    until = time.monotonic() + limits.RUN_SECONDS.value
    for path in paths:
        try:
            if time.monotonic() > until:
                raise ValueError("not read: reading took too long")
            loose += read_documents(path)
        except (YamlProblem, OSError, ValueError) as error:
            yield DraftProblem(str(path.relative_to(root)), str(error))
    bundle_contents = contents(document for document in loose if read(document, meta.Object).kind != "Kustomization")
    if bundle_contents.csv:
        csv = read(bundle_contents.csv, ClusterServiceVersion)
        name = csv.metadata.name
        yield BundleDraft(
            package=name.partition(".")[0] or name,
            name=name,
            version=csv.spec.version,
            digest="",
            contents=bundle_contents,
        )


def _newest(found: list[Draft]) -> Iterator[str]:
    for draft in found:
        if isinstance(draft, PackageDraft):
            graph = draft.graph
            for channel in sorted(graph.channels, key=lambda each: each.name != graph.default):
                yield from (entry.name for entry in channel.entries)


def _bundle(draft: BundleDraft) -> Bundle:
    bundle_contents = draft.contents or Contents(csv={})
    return Bundle(
        name=draft.name,
        package=draft.package,
        version=draft.version,
        image=draft.image,
        csv=bundle_contents.csv,
        crds=bundle_contents.crds,
        others=bundle_contents.others,
        properties=bundle_contents.properties,
        related_images=bundle_contents.related_images,
        partial=bundle_contents.partial,
    )


def one(bundle: Bundle, place: str) -> Given:
    """A bundle of one of the console's catalogs."""
    return Given((bundle,), tuple(DraftProblem(bundle.image or bundle.name, words) for words in bundle.problems), place)


def carried(given: Given) -> str:
    """As a hidden control holds it. Raises SourceError when it is too large for that."""
    data = msgspec.json.encode(replace(given, problems=given.problems[:20]))
    packed = base64.b64encode(zlib.compress(data, 6)).decode()
    if len(packed) > limits.RUN_CARRIED.value:
        words = _(
            "The source is too large to be run from here. Add it to the console's catalogs, and run a "
            "bundle from that catalog."
        )
        raise SourceError(words)
    return packed


def received(packed: str) -> Given:
    """Raises SourceError when it is not what `carried` made."""
    try:
        data = zlib.decompressobj().decompress(base64.b64decode(packed, validate=True), limits.RUN_BYTES.value * 2)
        return msgspec.convert(json_bounds.load(data, json_bounds.LEVELS + 10), Given)
    except (ValueError, zlib.error, binascii.Error) as error:
        raise SourceError(_("The bundle wasn't received completely. Specify it again.")) from error
