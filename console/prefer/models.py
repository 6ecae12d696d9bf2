"""One preference of a user on a cluster; the same name on another cluster is another user.

It grants no permission and can be deleted: each has a default.
"""

from django.db import models


class Preference(models.Model):
    """`key`: one of store.KEYS, `columns <plural>.<group>` for a list's columns, or `quick start <name>` for the user's
    progress.
    """

    # As the console calls it (ClusterClient.name), and whom it calls so.
    cluster = models.CharField(max_length=512, default="")
    user = models.CharField(max_length=512)
    key = models.CharField(max_length=400)
    value = models.TextField(default="", blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cluster", "user", "key"], name="one_preference")]

    def __str__(self) -> str:
        return f"{self.key} of {self.user}"
