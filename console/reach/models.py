"""The namespaces that people named or opened, since no list tells them."""

from django.db import models


class Remembered(models.Model):
    """One namespace of one person on one cluster.

    It gives no right: it is judged again before anything is read there.
    """

    TYPED, OPENED = "typed", "opened"

    cluster = models.CharField(max_length=512)
    # As the API server calls them.
    user = models.CharField(max_length=512)
    namespace = models.CharField(max_length=63)
    how = models.CharField(max_length=8, choices=[(TYPED, TYPED), (OPENED, OPENED)])
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cluster", "user", "namespace"], name="one_remembered")]

    def __str__(self) -> str:
        return f"{self.namespace} of {self.user}"
