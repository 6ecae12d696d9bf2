"""The forms of catalogs: what may be typed, what is wrong with it and where, and the objects that come of it. Pure.

Three kinds: CatalogSources (OLM), ClusterCatalogs (OLM v1), and the console's own.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from kube import reader
from kube.objects import KubeObject
from kube.types.olm import CatalogSource, ClusterCatalog
from operatorhub import olm
from operatorhub.admin import catalog_kinds
from operatorhub.csv import strings
from resources import yamltext

SOURCE, CLUSTER, OWN = "catalogsource", "clustercatalog", "own"
KINDS = (SOURCE, CLUSTER, OWN)
_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")
_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_DURATION = re.compile(r"([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h))+")
_ADDRESS = re.compile(r"[A-Za-z0-9.-]+:\d{1,5}|\[[0-9A-Fa-f:]+\]:\d{1,5}")
INTERVALS = ("10m", "15m", "30m", "45m", "60m")


@dataclass(slots=True)
class Form:
    """`values`: what was typed, by field, nothing lost; `errors`: by field.

    `fixed`: fields that can't be changed any more.
    """

    kind: str
    values: dict[str, str]
    errors: dict[str, str] = field(default_factory=dict)
    fixed: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> str:
        return self.values.get(name, "")

    def wrong(self, name: str, words: str) -> None:
        self.errors.setdefault(name, words)


def read(kind: str, data: Mapping[str, str], fixed: Mapping[str, str] | None = None) -> Form:
    """Validate the form. `fixed`: values that override the sent ones."""
    form = Form(kind, {key: value.strip() for key, value in data.items()} | dict(fixed or {}), fixed=tuple(fixed or ()))
    name = form["name"]
    if not name:
        form.wrong("name", _("Enter a name."))
    elif not _NAME.fullmatch(name):
        form.wrong(
            "name",
            _("Use lowercase letters, digits, hyphens and dots. Start and end with a letter or digit."),
        )
    {SOURCE: _catalog_source, CLUSTER: _cluster_catalog, OWN: _own}[kind](form)
    return form


def _catalog_source(form: Form) -> None:
    if not _LABEL.fullmatch(form["namespace"]):
        form.wrong(
            "namespace",
            _(
                "Select a namespace: the namespace of the cluster's other catalogs, or a namespace whose "
                "operators alone can use this catalog."
            ),
        )
    if form["endpoint"] == "address":
        if not _ADDRESS.fullmatch(form["address"]):
            form.wrong("address", _("Enter a host and a port, such as catalog.example.svc:50051."))
    else:
        _image(form)
    if form["interval"] and not _DURATION.fullmatch(form["interval"]):
        form.wrong("interval", _("Enter a duration such as 30m, 1h or 1h30m."))
    elif form["interval"] and form["endpoint"] == "address":
        form.wrong("interval", _("Only images are polled. An address is read when needed."))
    if form["priority"] and not re.fullmatch(r"-?\d{1,9}", form["priority"]):
        form.wrong("priority", _("Enter a whole number. The default is 0; catalogs with higher numbers are preferred."))
    for word in words(form["secrets"]):
        if not _NAME.fullmatch(word):
            form.wrong("secrets", _("“%(name)s” isn't a valid Secret name.") % {"name": word})


def _cluster_catalog(form: Form) -> None:
    _image(form)
    if form["interval"] and (
        not form["interval"].isascii() or not form["interval"].isdigit() or not 0 < int(form["interval"][:9]) < 10**6
    ):
        form.wrong("interval", _("Enter whole minutes, at least 1."))
    elif form["interval"] and "@sha256:" in form["image"]:
        form.wrong("interval", _("An image with a digest never changes. Leave this field empty."))
    if form["priority"] and not re.fullmatch(r"-?\d{1,9}", form["priority"]):
        form.wrong("priority", _("Enter a whole number. The default is 0; catalogs with higher numbers are preferred."))


def _own(form: Form) -> None:
    kind, location = catalog_kinds.addable(form["from"]), form["location"]
    if len(location) > 2048:
        form.wrong("location", _("Use at most 2,048 characters."))
    elif kind is None:
        form.wrong("from", _("Select the source of the catalog."))
    elif error := kind.location_error(location):
        form.wrong("location", error)


def _image(form: Form) -> None:
    if error := catalog_kinds.image_error(form["image"]):
        form.wrong("image", error)


def words(typed: str) -> tuple[str, ...]:
    """Names divided by commas or spaces."""
    return tuple(dict.fromkeys(part for part in re.split(r"[,\s]+", typed) if part))


def spec(form: Form) -> dict[str, Any]:
    """Of a CatalogSource: only what was typed."""
    found: dict[str, Any] = {"sourceType": "grpc"}
    found |= {"address": form["address"]} if form["endpoint"] == "address" else {"image": form["image"]}
    found |= {key: value for key, value in (("displayName", form["title"]), ("publisher", form["publisher"])) if value}
    if form["priority"] not in ("", "0"):
        found["priority"] = int(form["priority"])
    if secrets := words(form["secrets"]):
        found["secrets"] = list(secrets)
    if form["interval"] and form["endpoint"] != "address":
        found["updateStrategy"] = {"registryPoll": {"interval": form["interval"]}}
    return found


def catalog_source(form: Form) -> KubeObject:
    meta = {"name": form["name"], "namespace": form["namespace"]}
    return {"apiVersion": f"{olm.GROUP}/{olm.VERSION}", "kind": "CatalogSource", "metadata": meta, "spec": spec(form)}


def patch(form: Form) -> dict[str, Any]:
    """A merge patch of a CatalogSource: what was emptied goes."""
    empty = dict.fromkeys(("image", "address", "displayName", "publisher", "priority", "secrets", "updateStrategy"))
    wanted = spec(form)
    wanted.pop("sourceType")
    if "updateStrategy" in wanted:
        wanted["updateStrategy"] = {"registryPoll": {"interval": form["interval"]}}
    return {"spec": {**empty, **wanted}}


def cluster_catalog(form: Form) -> KubeObject:
    image: dict[str, Any] = {"ref": form["image"]}
    if form["interval"]:
        image["pollIntervalMinutes"] = int(form["interval"])
    catalog_spec: dict[str, Any] = {"source": {"type": "Image", "image": image}}
    if form["priority"] not in ("", "0"):
        catalog_spec["priority"] = int(form["priority"])
    if form["mode"] == "Unavailable":
        catalog_spec["availabilityMode"] = "Unavailable"
    return {
        "apiVersion": "olm.operatorframework.io/v1",
        "kind": "ClusterCatalog",
        "metadata": {"name": form["name"]},
        "spec": catalog_spec,
    }


def cluster_patch(form: Form) -> dict[str, Any]:
    """A merge patch of a ClusterCatalog."""
    wanted = cluster_catalog(form)["spec"]
    image = {"pollIntervalMinutes": None, **wanted["source"]["image"]}
    return {
        "spec": {"availabilityMode": "Available", "priority": 0, **wanted, "source": {"type": "Image", "image": image}}
    }


def made(form: Form) -> KubeObject | None:
    """The object of what was typed; None while something is wrong."""
    if form.errors or form.kind == OWN:
        return None
    return catalog_source(form) if form.kind == SOURCE else cluster_catalog(form)


def change(form: Form) -> dict[str, Any] | None:
    """The merge patch of what was typed; None while something is wrong."""
    if form.errors or form.kind == OWN:
        return None
    return patch(form) if form.kind == SOURCE else cluster_patch(form)


def begun(kind: str, obj: Mapping[str, Any]) -> dict[str, str]:
    """What stands in an existing object, as it would be typed."""
    return _begun_cluster_catalog(obj) if kind == CLUSTER else _begun_catalog_source(obj)


def _begun_cluster_catalog(obj: Mapping[str, Any]) -> dict[str, str]:
    catalog = reader.read(obj, ClusterCatalog)
    image = catalog.spec.source.image
    return {
        "name": catalog.metadata.name,
        "priority": _number(catalog.spec.priority),
        "image": image.ref,
        "interval": _number(image.poll_interval_minutes),
        "mode": catalog.spec.availability_mode,
    }


def _begun_catalog_source(obj: Mapping[str, Any]) -> dict[str, str]:
    source = reader.read(obj, CatalogSource)
    old = source.spec
    return {
        "name": source.metadata.name,
        "priority": _number(old.priority),
        "namespace": source.metadata.namespace,
        "title": old.display_name,
        "publisher": old.publisher,
        "endpoint": "address" if old.address and not old.image else "image",
        "image": old.image,
        "address": old.address,
        "interval": old.update_strategy.registry_poll.interval,
        "secrets": ", ".join(strings(old.secrets)),
    }


def _number(value: int | None) -> str:
    return "" if value is None else str(value)


def yaml(obj: Mapping[str, Any]) -> str:
    return yamltext.dump(obj)
