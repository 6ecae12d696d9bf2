"""One thing that one person prefers. It gives no right and may be thrown away: what is missing has a default."""

from django.db import models


class Preference(models.Model):
    """`key`: one of choices.KEYS, or `columns <plural>.<group>` for a list's columns."""

    # As the API server calls them.
    user = models.CharField(max_length=512)
    key = models.CharField(max_length=400)
    value = models.TextField(default="", blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="one_preference")]

    def __str__(self) -> str:
        return f"{self.key} of {self.user}"
