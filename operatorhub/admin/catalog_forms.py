"""The forms of catalogs, and the objects that come of them.

Three kinds: CatalogSources (OLM), ClusterCatalogs (OLM v1), and the console's own.
"""

import re
from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from kube import limits, reader
from kube.objects import KubeObject
from kube.types.olm import CatalogSource, ClusterCatalog
from operatorhub import olm
from operatorhub.admin import catalog_kinds, catalogs
from operatorhub.csv import strings
from operatorhub.models import Catalog

SOURCE, CLUSTER, OWN = "catalogsource", "clustercatalog", "own"
KINDS = (SOURCE, CLUSTER, OWN)
IMAGE, ADDRESS = "image", "address"
AVAILABLE, UNAVAILABLE = "Available", "Unavailable"
INTERVALS = ("10m", "15m", "30m", "45m", "60m")
_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")
_ADDRESS = re.compile(r"[A-Za-z0-9.-]+:\d{1,5}|\[[0-9A-Fa-f:]+\]:\d{1,5}")
_MAX_LENGTH = 2048
_MAX_PRIORITY = 10**9 - 1
_MAX_MINUTES = 10**6 - 1


class CatalogForm(forms.Form):
    """What all catalogs have."""

    name = forms.RegexField(
        rf"\A{_NAME.pattern}\Z",
        label=gettext_lazy("Name"),
        strip=True,
        max_length=253,
        widget=forms.TextInput(attrs={"placeholder": "my-catalog"}),
        error_messages={
            "required": gettext_lazy("Enter a name."),
            "invalid": gettext_lazy(
                "Use lowercase letters, digits, hyphens and dots. Start and end with a letter or digit."
            ),
        },
    )


class ClusterObjectForm(CatalogForm):
    """A catalog that is an object of the cluster. If it exists, its name and namespace can't be changed."""

    image = forms.CharField(
        label=gettext_lazy("Image"),
        required=False,
        max_length=_MAX_LENGTH,
        widget=forms.TextInput(attrs={"placeholder": "quay.io/operatorhubio/catalog:latest"}),
    )
    priority = forms.IntegerField(
        label=gettext_lazy("Priority"),
        help_text=gettext_lazy("If several catalogs offer a package, the catalog with the highest priority is used."),
        required=False,
        min_value=-_MAX_PRIORITY,
        max_value=_MAX_PRIORITY,
        widget=forms.TextInput(attrs={"placeholder": "0"}),
        error_messages=dict.fromkeys(
            ("invalid", "min_value", "max_value"),
            gettext_lazy("Enter a whole number. The default is 0; catalogs with higher numbers are preferred."),
        ),
    )

    def __init__(self, *args: Any, is_new: bool = True, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in {"name", "namespace"} & self.fields.keys():
            self.fields[name].disabled = not is_new

    def check_image(self) -> None:
        if "image" in self.cleaned_data and (error := catalog_kinds.image_error(self.cleaned_data["image"])):
            self.add_error("image", error)


class CatalogSourceForm(ClusterObjectForm):
    """A CatalogSource with an image or an address."""

    namespace = forms.RegexField(
        r"\A[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\Z",
        label=gettext_lazy("Namespace"),
        strip=True,
        max_length=63,
        widget=forms.TextInput(attrs={"list": "source-spaces"}),
        error_messages=dict.fromkeys(
            ("required", "invalid"),
            gettext_lazy(
                "Select a namespace: the namespace of the cluster's other catalogs, or a namespace whose operators "
                "alone can use this catalog."
            ),
        ),
    )
    endpoint = forms.ChoiceField(
        required=False,
        choices=[
            (IMAGE, gettext_lazy("Image that OLM runs as a Pod")),
            (ADDRESS, gettext_lazy("Address of a running registry (gRPC)")),
        ],
        widget=forms.RadioSelect,
        initial=IMAGE,
    )
    address = forms.CharField(
        label=gettext_lazy("Address"),
        required=False,
        max_length=_MAX_LENGTH,
        widget=forms.TextInput(attrs={"placeholder": "catalog.example.svc:50051"}),
    )
    title = forms.CharField(label=gettext_lazy("Display name"), required=False, max_length=_MAX_LENGTH)
    publisher = forms.CharField(label=gettext_lazy("Publisher"), required=False, max_length=_MAX_LENGTH)
    interval = forms.RegexField(
        r"\A([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h))+\Z",
        label=gettext_lazy("Check for new images every"),
        help_text=gettext_lazy("Leave empty to never check."),
        required=False,
        strip=True,
        max_length=_MAX_LENGTH,
        widget=forms.TextInput(attrs={"placeholder": "30m", "list": "source-intervals"}),
        error_messages={"invalid": gettext_lazy("Enter a duration such as 30m, 1h or 1h30m.")},
    )
    secrets = forms.CharField(
        label=gettext_lazy("Pull secrets"),
        help_text=gettext_lazy("Names of Secrets in the same namespace, separated by commas."),
        required=False,
        max_length=_MAX_LENGTH,
    )

    def clean_secrets(self) -> list[str]:
        names = list(dict.fromkeys(re.findall(r"[^,\s]+", self.cleaned_data["secrets"])))
        for name in names:
            if not _NAME.fullmatch(name):
                raise ValidationError(_("“%(name)s” isn't a valid Secret name.") % {"name": name})
        return names

    def clean(self) -> dict[str, Any]:
        typed: dict[str, Any] = super().clean() or {}
        if typed.get("endpoint") != ADDRESS:
            self.check_image()
            return typed
        if "address" in typed and not _ADDRESS.fullmatch(typed["address"]):
            self.add_error("address", _("Enter a host and a port, such as catalog.example.svc:50051."))
        if typed.get("interval"):
            self.add_error("interval", _("Only images are polled. An address is read when needed."))
        return typed

    @property
    def spec(self) -> dict[str, Any]:
        """Only what was typed."""
        typed = self.cleaned_data
        endpoint = typed["endpoint"] or IMAGE
        poll = {"registryPoll": {"interval": typed["interval"]}} if typed["interval"] else None
        optional = {
            "displayName": typed["title"],
            "publisher": typed["publisher"],
            "priority": typed["priority"],
            "secrets": typed["secrets"],
            "updateStrategy": poll,
        }
        return {endpoint: typed[endpoint], **{field: value for field, value in optional.items() if value}}

    @property
    def manifest(self) -> KubeObject:
        return {
            "apiVersion": f"{olm.GROUP}/{olm.VERSION}",
            "kind": "CatalogSource",
            "metadata": {"name": self.cleaned_data["name"], "namespace": self.cleaned_data["namespace"]},
            "spec": {"sourceType": "grpc", **self.spec},
        }

    @property
    def patch(self) -> dict[str, Any]:
        """A merge patch: what was emptied goes."""
        fields = ("image", "address", "displayName", "publisher", "priority", "secrets", "updateStrategy")
        return {"spec": {**dict.fromkeys(fields), **self.spec}}

    @staticmethod
    def values_of(obj: Mapping[str, Any]) -> dict[str, Any]:
        """An existing object as it would be typed."""
        source = reader.read(obj, CatalogSource)
        spec = source.spec
        return {
            "name": source.metadata.name,
            "priority": spec.priority,
            "namespace": source.metadata.namespace,
            "title": spec.display_name,
            "publisher": spec.publisher,
            "endpoint": ADDRESS if spec.address and not spec.image else IMAGE,
            "image": spec.image,
            "address": spec.address,
            "interval": spec.update_strategy.registry_poll.interval,
            "secrets": ", ".join(strings(spec.secrets)),
        }


class ClusterCatalogForm(ClusterObjectForm):
    interval = forms.IntegerField(
        label=gettext_lazy("Check for new images every (minutes)"),
        help_text=gettext_lazy("Leave empty to never check."),
        required=False,
        min_value=1,
        max_value=_MAX_MINUTES,
        widget=forms.TextInput(attrs={"placeholder": "30"}),
        error_messages=dict.fromkeys(
            ("invalid", "min_value", "max_value"), gettext_lazy("Enter whole minutes, at least 1.")
        ),
    )
    mode = forms.ChoiceField(
        required=False,
        choices=[
            (AVAILABLE, gettext_lazy("Turned on: its packages are available")),
            (UNAVAILABLE, gettext_lazy("Turned off: its packages aren't available")),
        ],
        widget=forms.RadioSelect,
        initial=AVAILABLE,
    )

    def clean(self) -> dict[str, Any]:
        typed: dict[str, Any] = super().clean() or {}
        self.check_image()
        if typed.get("interval") and "@sha256:" in typed.get("image", ""):
            self.add_error("interval", _("An image with a digest never changes. Leave this field empty."))
        return typed

    @property
    def manifest(self) -> KubeObject:
        typed = self.cleaned_data
        image = {"ref": typed["image"]}
        if typed["interval"]:
            image["pollIntervalMinutes"] = typed["interval"]
        spec: dict[str, Any] = {"source": {"type": "Image", "image": image}}
        if typed["priority"]:
            spec["priority"] = typed["priority"]
        if typed["mode"] == UNAVAILABLE:
            spec["availabilityMode"] = UNAVAILABLE
        return {
            "apiVersion": "olm.operatorframework.io/v1",
            "kind": "ClusterCatalog",
            "metadata": {"name": typed["name"]},
            "spec": spec,
        }

    @property
    def patch(self) -> dict[str, Any]:
        """A merge patch."""
        typed = self.cleaned_data
        image = {"ref": typed["image"], "pollIntervalMinutes": typed["interval"]}
        return {
            "spec": {
                "source": {"type": "Image", "image": image},
                "priority": typed["priority"] or 0,
                "availabilityMode": typed["mode"] or AVAILABLE,
            }
        }

    @staticmethod
    def values_of(obj: Mapping[str, Any]) -> dict[str, Any]:
        """An existing object as it would be typed."""
        catalog = reader.read(obj, ClusterCatalog)
        image = catalog.spec.source.image
        return {
            "name": catalog.metadata.name,
            "priority": catalog.spec.priority,
            "image": image.ref,
            "interval": image.poll_interval_minutes,
            "mode": catalog.spec.availability_mode or AVAILABLE,
        }


OBJECT_FORMS: dict[str, type[CatalogSourceForm] | type[ClusterCatalogForm]] = {
    SOURCE: CatalogSourceForm,
    CLUSTER: ClusterCatalogForm,
}


class OwnCatalogForm(CatalogForm):
    """A catalog that the console reads itself, for the cluster of this name."""

    title = forms.CharField(label=gettext_lazy("Title"), required=False, max_length=_MAX_LENGTH)
    location = forms.CharField(
        label=gettext_lazy("Address, image or folder"),
        required=False,
        max_length=_MAX_LENGTH,
        widget=forms.TextInput(attrs={"placeholder": "https://example.com/catalog.yaml"}),
        error_messages={"max_length": gettext_lazy("Use at most 2,048 characters.")},
    )
    file = forms.FileField(required=False, error_messages={"empty": gettext_lazy("The file is empty.")})
    interval = forms.ChoiceField(
        required=False,
        choices=[
            ("", gettext_lazy("Only on request")),
            ("1h", gettext_lazy("Every hour")),
            ("6h", gettext_lazy("Every six hours")),
            ("1d", gettext_lazy("Every day")),
        ],
    )

    def __init__(self, *args: Any, cluster: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.cluster = cluster
        # Declared here because `from` is a keyword in Python.
        self.fields["from"] = forms.ChoiceField(
            choices=[(kind.value, kind.choice) for kind in catalog_kinds.KINDS if kind.field],
            error_messages=dict.fromkeys(("required", "invalid_choice"), _("Select the source of the catalog.")),
        )

    @property
    def kinds(self) -> list[catalog_kinds.CatalogKind]:
        """Those that can be added to this console."""
        return [kind for kind in catalog_kinds.KINDS if kind.field and not kind.refusal()]

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if Catalog.objects.filter(cluster=self.cluster, namespace=catalogs.OWN, name=name).exists():
            raise ValidationError(_("The console already has a catalog with this name."))
        return name

    def clean_interval(self) -> int:
        """In seconds."""
        return {"": 0, "1h": 3600, "6h": 6 * 3600, "1d": 24 * 3600}[self.cleaned_data["interval"]]

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file is not None and file.size > limits.CATALOG_UPLOAD.value:
            words = _("The file is larger than %(most)d MiB. Use an address or a folder instead.")
            raise ValidationError(words % {"most": limits.CATALOG_UPLOAD.value // 2**20})
        return file

    def clean(self) -> dict[str, Any]:
        typed: dict[str, Any] = super().clean() or {}
        if "from" not in typed:
            return typed
        kind = catalog_kinds.BY_VALUE[typed["from"]]
        if refusal := kind.refusal():
            self.add_error("from", refusal)
        if "location" in typed and (error := kind.location_error(typed["location"])):
            self.add_error("location", error)
        if kind.field == catalog_kinds.FILE and "file" in typed and typed["file"] is None:
            self.add_error("file", _("Choose a file: .yaml, .json, .tar, .tar.gz or .zip."))
        return typed
