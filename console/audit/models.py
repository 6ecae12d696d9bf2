"""The audit: acts as they were asked for, with what came of them.

Nothing here is ever changed; it only grows old (bounds.py).
"""

from django.db import models
from django.utils.translation import gettext_lazy as _

from kube.discovery import qualified


class AuditEntry(models.Model):
    """One act of one user on one object.

    Holds no object: of what changed the first paths in words, and no value that is a secret (entries.py).

    The order of the fields is that of the columns of an export and of the JSON API (search.COLUMNS).
    """

    at = models.DateTimeField()
    cluster = models.CharField(max_length=512)
    # As the API server knows them.
    user = models.CharField(max_length=512)
    # As whom they acted, '' for themselves. The groups are then that one's.
    as_user = models.CharField(max_length=512, default="", db_default="", blank=True)
    # Where they are known.
    groups = models.JSONField(default=list)
    # create, patch, delete, scale, reveal, exec, approve …
    verb = models.CharField(max_length=64)
    group = models.CharField(max_length=253, default="", blank=True)
    version = models.CharField(max_length=63, default="", blank=True)
    # The plural; '' for what is the console's own.
    resource = models.CharField(max_length=253, default="", blank=True)
    kind = models.CharField(max_length=253, default="", blank=True)
    namespace = models.CharField(max_length=253, default="", blank=True)
    name = models.CharField(max_length=512, default="", blank=True)
    subresource = models.CharField(max_length=64, default="", blank=True)
    uid = models.CharField(max_length=64, default="", blank=True)
    # What belongs to the act beside the object: key=password, a command's container.
    detail = models.CharField(max_length=512, default="", blank=True)
    # 'ok', or the reason of the refusal.
    outcome = models.CharField(max_length=64)
    # page, api or worker.
    source = models.CharField(max_length=8, default="", blank=True)
    address = models.CharField(max_length=64, default="", blank=True)
    request_id = models.CharField(max_length=64, default="", blank=True)
    # How many fields changed; and the first of them as [path, before, after], texts, '' for nothing.
    changed = models.PositiveIntegerField(default=0)
    diff = models.JSONField(default=list)
    # What a search looks through, in lower case.
    words = models.TextField(default="", blank=True)

    class Meta:
        verbose_name_plural = "audit entries"
        indexes = [
            models.Index(fields=["cluster", "-at", "-id"], name="audit_newest"),
            models.Index(fields=["cluster", "user", "-at", "-id"], name="audit_of"),
            models.Index(fields=["cluster", "resource", "namespace", "name", "-at", "-id"], name="audit_about"),
            models.Index(fields=["at"], name="audit_at"),
        ]

    def __str__(self) -> str:
        return (
            f"{self.verb} {self.resource} {self.namespace}/{self.name} by"
            f" {self.user}{f' as {self.as_user}' if self.as_user else ''}"
        )

    @property
    def qualified(self) -> str:
        """'deployments.apps', as kubectl has it; '' for what is the console's own."""
        return qualified(self.resource, self.group)

    @property
    def ok(self) -> bool:
        return self.outcome == "ok"


#: Field → its title on the act's page, in the order of that page. Fields that aren't here are shown with another one:
#: `name` has the whole object, `resource` the kind.
TITLES = {
    "user": _("User"),
    "as_user": _("Impersonating"),
    "groups": _("Groups"),
    "cluster": _("Cluster"),
    "outcome": _("Outcome"),
    "name": _("Object"),
    "resource": _("Kind"),
    "uid": "UID",
    "source": _("Sent through"),
    "address": _("Address of the client"),
    "request_id": _("Request ID"),
}
