"""What the console stores about the cluster's objects: their changes, the writes made here, favourites and searches.

All of it may be deleted: the cluster is the source of truth. Rows have their cluster and, if they belong to a user,
the name by which the API server knows that user. Why: docs/decisions/0012-history-is-reverse-steps.md.
"""

from django.db import models


class Recorder(models.Model):
    """The one worker that writes the history of a cluster, until `until`; another one takes over then."""

    cluster = models.CharField(max_length=512, primary_key=True)
    holder = models.CharField(max_length=200)
    until = models.DateTimeField()
    # Why nothing is written just now, '' when all is well.
    problem = models.TextField(default="", blank=True)

    def __str__(self) -> str:
        return f"history of {self.cluster} by {self.holder}"


class Followed(models.Model):
    """How far the history of one type is."""

    cluster = models.CharField(max_length=512)
    # 'plural.group', as kubectl calls it.
    type = models.CharField(max_length=512)
    # Everything up to here is written; '' asks for a list.
    resource_version = models.CharField(max_length=64, default="", blank=True)
    # How many objects there were when it was given up for having too many; 0 while it is followed.
    too_many = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cluster", "type"], name="one_followed")]

    def __str__(self) -> str:
        return self.type


class Traced(models.Model):
    """One recorded object, as it was seen last (`head`: zlib-JSON of resources/history/stored_object.py)."""

    cluster = models.CharField(max_length=512)
    uid = models.CharField(max_length=64)
    group = models.CharField(max_length=253, default="", blank=True)
    version = models.CharField(max_length=63)
    plural = models.CharField(max_length=253)
    kind = models.CharField(max_length=253)
    namespace = models.CharField(max_length=253, default="", blank=True)
    name = models.CharField(max_length=253)
    # Of the namespace in which it was: one that is made again under the same name is another's. '' where that was not
    # known.
    namespace_uid = models.CharField(max_length=64, default="", db_default="", blank=True)
    resource_version = models.CharField(max_length=64)
    head = models.BinaryField()
    state = models.CharField(max_length=16, default="", blank=True)
    began_at = models.DateTimeField()
    deleted_at = models.DateTimeField(null=True, blank=True)
    # Of the head and all steps.
    size = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cluster", "uid"], name="one_traced")]
        indexes = [
            models.Index(fields=["cluster", "group", "plural", "namespace", "name"], name="traced_by_name"),
            models.Index(fields=["deleted_at"], name="traced_deleted"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}"


class Step(models.Model):
    """One change of a Traced, or several small ones of its status that followed each other (`count`, from `at` to
    `until`).
    """

    CREATED, SEEN, CHANGED, DELETED = "created", "seen", "changed", "deleted"

    traced = models.ForeignKey(Traced, on_delete=models.CASCADE, related_name="steps")
    event = models.CharField(max_length=8, default=CHANGED)
    resource_version = models.CharField(max_length=64)
    generation = models.BigIntegerField(default=0)
    at = models.DateTimeField()
    until = models.DateTimeField()
    count = models.PositiveIntegerField(default=1)
    # What changed: anything but metadata and status; metadata; status.
    spec = models.BooleanField(default=False)
    meta = models.BooleanField(default=False)
    status = models.BooleanField(default=False)
    # Seen by a list after a time without a watch: it may hold several changes.
    gap = models.BooleanField(default=False)
    # The writer's name in managedFields, '' where there is none.
    manager = models.CharField(max_length=253, default="", blank=True)
    # The object's state word after it, and why.
    state = models.CharField(max_length=16, default="", blank=True)
    reason = models.CharField(max_length=400, default="", blank=True)
    # The first changed fields as [path, before, after], texts; and how many there are in all.
    fields = models.JSONField(default=list)
    changed = models.PositiveIntegerField(default=0)
    # zlib-JSON of what leads back to the version before (resources/history/stored_object.py); empty for the first.
    back = models.BinaryField(default=b"")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["traced", "resource_version", "event"], name="one_step")]
        indexes = [models.Index(fields=["at"], name="step_at")]

    def __str__(self) -> str:
        return f"{self.event} {self.at:%Y-%m-%d %H:%M:%S}"


class Write(models.Model):
    """A change made through the console: names the user in the history, and can be undone."""

    key = models.CharField(max_length=32, primary_key=True)
    cluster = models.CharField(max_length=512)
    user = models.CharField(max_length=512)
    at = models.DateTimeField()
    # create, patch, scale, delete, label, annotate …
    verb = models.CharField(max_length=32)
    group = models.CharField(max_length=253, default="", blank=True)
    version = models.CharField(max_length=63)
    plural = models.CharField(max_length=253)
    kind = models.CharField(max_length=253)
    namespace = models.CharField(max_length=253, default="", blank=True)
    name = models.CharField(max_length=253)
    uid = models.CharField(max_length=64, default="", blank=True)
    # After the change; '' for a deletion.
    resource_version = models.CharField(max_length=64, default="", blank=True)
    # zlib-JSON of the object before and after, without its status; null where there was none or nothing may be kept (a
    # Secret).
    before = models.BinaryField(null=True)
    after = models.BinaryField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["cluster", "user", "-at"], name="write_of"),
            models.Index(fields=["cluster", "uid"], name="write_about"),
        ]

    def __str__(self) -> str:
        return f"{self.verb} {self.kind} {self.namespace}/{self.name} by {self.user}"


class Mark(models.Model):
    """A favourite or recently opened page: an object, or with an empty `name` the list of a kind.

    AWAY: a part of a page, named by `plural`, that the user dismissed.
    """

    FAVOURITE, RECENT, AWAY = "favourite", "recent", "away"

    cluster = models.CharField(max_length=512)
    user = models.CharField(max_length=512)
    sort = models.CharField(max_length=16)
    group = models.CharField(max_length=253, default="", blank=True)
    version = models.CharField(max_length=63)
    plural = models.CharField(max_length=253)
    kind = models.CharField(max_length=253)
    namespace = models.CharField(max_length=253, default="", blank=True)
    name = models.CharField(max_length=253, default="", blank=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["cluster", "user", "sort", "group", "plural", "namespace", "name"], name="one_mark"
            )
        ]

    def __str__(self) -> str:
        return f"{self.sort} {self.kind} {self.namespace}/{self.name}"


class SavedSearch(models.Model):
    """A list with its filters, or with an empty `plural` a search of all kinds, under a name that the user chose.

    `query`: the query string of its address.
    """

    cluster = models.CharField(max_length=512)
    user = models.CharField(max_length=512)
    group = models.CharField(max_length=253, default="", blank=True)
    version = models.CharField(max_length=63, default="", blank=True)
    plural = models.CharField(max_length=253, default="", blank=True)
    kind = models.CharField(max_length=253, default="", blank=True)
    name = models.CharField(max_length=60)
    query = models.CharField(max_length=4000, default="", blank=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["cluster", "user", "group", "plural", "name"], name="one_saved_search")
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.user}"
