"""The files of one bundle: YAML and JSON under a folder become its contents.

What can't be read is named, the rest is taken.

Two layouts: `manifests/` and `metadata/` of operator-sdk
(https://olm.operatorframework.io/docs/tasks/creating-operator-bundle/), and `csv.yaml`, `crds/`, `manifests/`,
`metadata/`.
"""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from kube import limits
from operatorhub.csv import text
from operatorhub.sources.drafts import Contents, DraftProblem, contents
from resources import yamltext
from untrusted import bundle_metadata, json_bounds

# A manifest is an object of the cluster, which takes 1.5 MB; comments and a CSV in YAML may be more.
_NAMES = (".yaml", ".yml", ".json")
_ANNOTATION = "operators.operatorframework.io.bundle."


def documents(path: Path) -> list[Any]:
    """All documents of a file. Raises YamlProblem, OSError, ValueError."""
    if path.stat().st_size > limits.MANIFEST_FILE.value:
        raise ValueError(f"larger than {limits.MANIFEST_FILE.value // 2**20} MiB")
    data = path.read_bytes()
    if path.suffix == ".json":
        try:
            return [json_bounds.load(data)]
        except json_bounds.TooDeep:
            raise
        except msgspec.DecodeError:
            pass  # several documents, or YAML under the wrong name
    return [value for _line, value in yamltext.documents(data.decode())]


def is_bundle(folder: Path) -> bool:
    """Whether a folder looks like one of the two layouts."""
    return (folder / "csv.yaml").is_file() or (folder / "manifests").is_dir()


def read(folder: Path) -> tuple[Contents, dict[str, str], list[DraftProblem]]:
    """The contents, the annotations of `metadata/` without their common beginning, and what could not be read."""
    found: list[Any] = []
    bad: list[DraftProblem] = []
    for path in _files(folder):
        found += _tried(path, folder, bad)
    # opm reads files of every name there; what is called neither YAML nor JSON need not be any.
    files = (
        _tried(path, folder, bad if path.suffix in _NAMES else [])
        for path in sorted(folder.glob("metadata/*"))
        if path.is_file()
    )
    metadata = bundle_metadata.merge(next(iter(documents), None) for documents in files)
    about = {text(key).removeprefix(_ANNOTATION): text(value) for key, value in metadata.annotations.items()}
    return contents(found, tuple(metadata.properties)), about, bad


def csv_of(folder: Path) -> Mapping[str, Any]:
    """The CSV alone; {} when there is none that can be read."""
    for path in _files(folder):
        # Only a file that speaks of one is parsed: CRDs are the larger ones.
        try:
            if path.name != "csv.yaml" and b"ClusterServiceVersion" not in path.read_bytes():
                continue
        except OSError:
            continue
        if found := contents(_tried(path, folder, [])).csv:
            return found
    return {}


def stamp(folder: Path) -> str:
    """Changes when a file of the bundle does: names, sizes and times."""
    digest = hashlib.sha256()
    for path in (*_files(folder), *sorted(folder.glob("metadata/*"))):
        facts = path.stat()
        digest.update(f"{path.relative_to(folder)} {facts.st_size} {facts.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    if (folder / "csv.yaml").is_file():
        yield folder / "csv.yaml"
    for place in ("crds", "manifests"):
        yield from (path for path in sorted((folder / place).glob("*")) if path.suffix in _NAMES and path.is_file())


def _tried(path: Path, folder: Path, bad: list[DraftProblem]) -> list[Any]:
    try:
        return documents(path)
    except (yamltext.YamlProblem, OSError, ValueError) as error:
        bad.append(DraftProblem(str(path.relative_to(folder)), str(error)))
        return []
