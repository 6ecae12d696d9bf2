"""The catalog index: what the catalog page needs to know of each package, so that the page is one local query and no
megabytes of JSON.

Packages can be thrown away and are built again from the cluster (operatorhub/indexing/index.py). Rows remember their
cluster. The console's own catalogs are kept: where they are is known nowhere else; what was read of them can be read
again (operatorhub/indexing/refresh.py).
"""

from dataclasses import dataclass

from django.db import models
from django.utils.translation import gettext as _


@dataclass(frozen=True, slots=True)
class CatalogState:
    """How a catalog's reading is, as a label shows it."""

    colour: str
    label: str


class Index(models.Model):
    """How far the index of one cluster is.

    `revision` grows with every change of its packages, so that readers know when to read again.
    """

    cluster = models.CharField(max_length=512, primary_key=True)
    revision = models.PositiveIntegerField(default=0)
    # The CatalogSources as they were when it was built: another state of them asks for another build.
    sources = models.CharField(max_length=64, default="", blank=True)
    # Namespaces whose catalogs are offered in all namespaces, as of the last build; null before the first one.
    places = models.JSONField(null=True, blank=True)
    # Why the last build failed, in words; '' after one that worked.
    error = models.TextField(default="", blank=True)
    requested_at = models.DateTimeField(null=True, blank=True)
    # Lock for one builder at a time: no other begins before this time.
    busy_until = models.DateTimeField(null=True, blank=True)
    built_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"index of {self.cluster}"


class Package(models.Model):
    """One package of one catalog, as its default channel's newest version describes it."""

    cluster = models.CharField(max_length=512)
    namespace = models.CharField(max_length=63)
    catalog = models.CharField(max_length=253)
    name = models.CharField(max_length=253)
    catalog_title = models.CharField(max_length=512, default="", blank=True)
    title = models.CharField(max_length=512)
    provider = models.CharField(max_length=512, default="", blank=True)
    version = models.CharField(max_length=128, default="", blank=True)
    channel = models.CharField(max_length=253, default="", blank=True)
    csv = models.CharField(max_length=253, default="", blank=True)
    level = models.PositiveSmallIntegerField(default=0)
    categories = models.JSONField(default=list)
    keywords = models.JSONField(default=list)
    # Kinds and CRD names that it provides; kinds are searched, CRD names link types to their package.
    kinds = models.JSONField(default=list)
    crds = models.JSONField(default=list)
    modes = models.JSONField(default=list)
    suggested_namespace = models.CharField(max_length=253, default="", blank=True)
    summary = models.TextField(default="", blank=True)
    deprecated = models.BooleanField(default=False)
    # Its publisher's words on that.
    deprecation = models.TextField(default="", blank=True)
    # Infrastructure features, and the subscriptions of the vendor that it asks for.
    features = models.JSONField(default=list)
    subscriptions = models.JSONField(default=list)
    # The day of the version, YYYY-MM-DD; '' when it says none.
    created = models.CharField(max_length=32, default="", blank=True)
    # The beginning of its description: searched.
    text = models.TextField(default="", blank=True)
    # os/arch pairs it runs on.
    platforms = models.JSONField(default=list)
    # Why it is not shown: no-default-channel, non-standalone, platform; '' when it is.
    hidden = models.CharField(max_length=32, default="", blank=True)
    # What kind of source it comes from: packagemanifest, clustercatalog, or one of the console's own (Catalog.kind).
    source = models.CharField(max_length=32, default="packagemanifest")
    # Digest of an Icon; '' is not fetched yet, '-' is known to have none.
    icon = models.CharField(max_length=64, default="", blank=True)
    # Digest of all of the above but the icon: an unchanged package is not written again.
    digest = models.CharField(max_length=64)
    # Only in the whole CSV: the number of webhooks, and the risk of its permissions ('', elevated, cluster-admin); null
    # and '?' until that is read.
    webhooks = models.PositiveSmallIntegerField(null=True, blank=True)
    rights = models.CharField(max_length=16, default="?", blank=True)
    # The bundle that was judged so: its name and digest.
    judged = models.CharField(max_length=400, default="", blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cluster", "namespace", "catalog", "name"], name="one_package")]

    def __str__(self) -> str:
        return f"{self.namespace}/{self.catalog}/{self.name}"


class Catalog(models.Model):
    """A catalog that the console reads itself.

    Its packages, graphs and bundles are those of its `generation`: a reading that fails changes nothing.
    """

    # Values of `kind`; operatorhub/admin/catalog_kinds.py says what each is.
    FOLDER, URL, IMAGE, UPLOAD, CLUSTER = "folder", "url", "image", "upload", "clustercatalog"
    #: Of the packages, those that OperatorHub doesn't show; set where a page shows their number.
    hidden_packages = 0
    NEW, READING, READY, FAILED = "new", "reading", "ready", "failed"

    cluster = models.CharField(max_length=512)
    kind = models.CharField(max_length=32)
    # "~": the console's own; "-": a ClusterCatalog.
    namespace = models.CharField(max_length=63, default="~")
    name = models.CharField(max_length=253)
    title = models.CharField(max_length=512, default="", blank=True)
    # The path, address, image or file name; without passwords when it is shown (operatorhub/admin/catalogs.py).
    location = models.CharField(max_length=2048, default="", blank=True)
    # <namespace>/<name> of the CatalogSource whose packages these are: then it gives their bundles, and no packages of
    # its own.
    describes = models.CharField(max_length=320, default="", blank=True)
    # Defined by a setting (CATALOG_FOLDERS), so it can't be removed on a page.
    given = models.BooleanField(default=False)
    state = models.CharField(max_length=16, default=NEW)
    error = models.TextField(default="", blank=True)
    # What was left out at the last reading: [where, why] each.
    problems = models.JSONField(default=list)
    # Of what was read; the same again is not read again.
    digest = models.CharField(max_length=128, default="", blank=True)
    generation = models.PositiveIntegerField(default=0)
    packages = models.PositiveIntegerField(default=0)
    bundles = models.PositiveIntegerField(default=0)
    refreshed_at = models.DateTimeField(null=True, blank=True)
    busy_until = models.DateTimeField(null=True, blank=True)
    # Seconds between readings; 0: only on request.
    interval = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cluster", "namespace", "name"], name="one_catalog")]

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"

    @property
    def shown_packages(self) -> int:
        return self.packages - self.hidden_packages

    @property
    def health(self) -> CatalogState:
        """Its state as a coloured word."""
        shown = {
            self.READY: CatalogState("green", _("Ready")),
            self.FAILED: CatalogState("red", _("Failed")),
            self.READING: CatalogState("blue", _("Loading")),
        }
        return shown.get(self.state) or CatalogState("", _("Not loaded yet"))


class PackageGraph(models.Model):
    """The channels of one package of a Catalog, as zlib-JSON (operatorhub/bundle/bundles.py)."""

    catalog = models.ForeignKey(Catalog, on_delete=models.CASCADE, related_name="graphs")
    generation = models.PositiveIntegerField()
    package = models.CharField(max_length=253)
    data = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["catalog", "generation", "package"], name="one_graph")]

    def __str__(self) -> str:
        return self.package


class StoredBundle(models.Model):
    """One version of a package of a Catalog.

    One in a folder is read on first use: until it is, `place` says where it lies, and `csv` is null.
    """

    catalog = models.ForeignKey(Catalog, on_delete=models.CASCADE, related_name="stored")
    generation = models.PositiveIntegerField()
    package = models.CharField(max_length=253)
    name = models.CharField(max_length=253)
    version = models.CharField(max_length=128, default="", blank=True)
    image = models.CharField(max_length=1024, default="", blank=True)
    place = models.CharField(max_length=2048, default="", blank=True)
    # Of the files or the blob it was made of.
    digest = models.CharField(max_length=64)
    # `csv` holds what the catalog says of it, not its install strategy: the rest is in its image.
    partial = models.BooleanField(default=False)
    # zlib-JSON: the CSV; and CRDs, other manifests, properties, images.
    csv = models.BinaryField(null=True)
    manifests = models.BinaryField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["catalog", "generation", "package", "name"], name="one_stored_bundle")
        ]

    def __str__(self) -> str:
        return self.name


class Icon(models.Model):
    """An image, made safe to serve; packages with the same image share it."""

    digest = models.CharField(max_length=64, primary_key=True)
    media_type = models.CharField(max_length=64)
    data = models.BinaryField()

    def __str__(self) -> str:
        return self.digest


class Run(models.Model):
    """An operation that takes longer than a request: an uninstall, or the check of all instances against a new schema.

    A Celery task advances it, or the page if there is no worker, one at a time: `revision` is its optimistic lock.
    Pages show its progress.
    """

    key = models.CharField(max_length=64, primary_key=True)
    kind = models.CharField(max_length=16)
    cluster = models.CharField(max_length=512)
    namespace = models.CharField(max_length=63)
    name = models.CharField(max_length=253)
    # The user and their session: all steps use the same credentials. '' if all users share the console's identity.
    user = models.CharField(max_length=512, default="", blank=True)
    session = models.CharField(max_length=64, default="", db_default="", blank=True)
    # running, done, failed (objects remain) or stopped (by a user).
    state = models.CharField(max_length=16, default="running")
    document = models.JSONField(default=dict)
    revision = models.PositiveIntegerField(default=0)
    started_at = models.DateTimeField()
    touched_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["cluster", "kind", "namespace", "name"], name="run_of")]

    def __str__(self) -> str:
        return f"{self.kind} of {self.namespace}/{self.name}: {self.state}"
