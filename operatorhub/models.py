"""The catalog index: what the catalog page needs to know of each package, so that the page is one local query and no megabytes of JSON.

Everything here can be thrown away and is built again from the cluster (operatorhub/index.py). Rows remember their cluster.
"""

from django.db import models


class Index(models.Model):
    """How far the index of one cluster is. `revision` grows with every change of its packages, so that readers know when to read again."""

    cluster = models.CharField(max_length=512, primary_key=True)
    revision = models.PositiveIntegerField(default=0)
    # The CatalogSources as they were when it was built: another state of them asks for another build.
    sources = models.CharField(max_length=64, default="", blank=True)
    # Why the last build failed, in words; '' after one that worked.
    error = models.TextField(default="", blank=True)
    requested_at = models.DateTimeField(null=True, blank=True)
    # One builder at a time: nobody else begins before this moment.
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
    # Digest of an Icon; '' is not fetched yet, '-' is known to have none.
    icon = models.CharField(max_length=64, default="", blank=True)
    # Digest of all of the above but the icon: an unchanged package is not written again.
    digest = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cluster", "namespace", "catalog", "name"], name="one_package")]

    def __str__(self) -> str:
        return f"{self.namespace}/{self.catalog}/{self.name}"


class Icon(models.Model):
    """An image, made safe to serve; packages with the same image share it."""

    digest = models.CharField(max_length=64, primary_key=True)
    media_type = models.CharField(max_length=64)
    data = models.BinaryField()

    def __str__(self) -> str:
        return self.digest


class Run(models.Model):
    """Something that takes longer than a request: an uninstall, or the check of all instances against a new schema.

    Whoever finds time goes on with it (a Celery task, or the page when no worker does), one at a time: `revision` tells who is late. Pages read how far it is.
    """

    key = models.CharField(max_length=64, primary_key=True)
    kind = models.CharField(max_length=16)
    cluster = models.CharField(max_length=512)
    namespace = models.CharField(max_length=63)
    name = models.CharField(max_length=253)
    # For whom; the same credentials are used all the way.
    user = models.CharField(max_length=512, default="", blank=True)
    # running, done, failed (something is left over) or stopped (by somebody).
    state = models.CharField(max_length=16, default="running")
    document = models.JSONField(default=dict)
    revision = models.PositiveIntegerField(default=0)
    started_at = models.DateTimeField()
    touched_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["cluster", "kind", "namespace", "name"], name="run_of")]

    def __str__(self) -> str:
        return f"{self.kind} of {self.namespace}/{self.name}: {self.state}"
