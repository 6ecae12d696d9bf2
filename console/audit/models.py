"""The audit: acts as they were asked for, with what came of them.

Nothing here is ever changed; it only grows old (bounds.py).
"""

from django.db import models


class AuditEntry(models.Model):
    """One act of one user on one object.

    Holds no object: of what changed the first paths in words, and no value that is a secret (changes.py).
    """

    at = models.DateTimeField()
    cluster = models.CharField(max_length=512)
    # As the API server knows them; the groups where they are known.
    user = models.CharField(max_length=512)
    groups = models.JSONField(default=list)
    # As whom they acted, '' for themselves. The groups are then that one's.
    as_user = models.CharField(max_length=512, default="", db_default="", blank=True)
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
    request_id = models.CharField(max_length=64, default="", blank=True)
    # page, api or worker.
    source = models.CharField(max_length=8, default="", blank=True)
    address = models.CharField(max_length=64, default="", blank=True)
    # The first changed fields as [path, before, after], texts, '' for nothing; and how many there are in all.
    diff = models.JSONField(default=list)
    changed = models.PositiveIntegerField(default=0)
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
        return f"{self.resource}.{self.group}" if self.group else self.resource

    @property
    def ok(self) -> bool:
        return self.outcome == "ok"
