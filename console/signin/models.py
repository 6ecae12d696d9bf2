"""Sessions, impersonations and sign-in attempts."""

from django.db import models


class Session(models.Model):
    """One person in one browser.

    `key` is a digest: the word that opens it is in the browser's cookie alone, the credentials are here alone.
    """

    key = models.CharField(max_length=64, primary_key=True)
    # How they signed in: token.
    method = models.CharField(max_length=16, default="token")
    # The name of the cluster that judged them: their credentials go nowhere else.
    cluster = models.CharField(max_length=512)
    # As its API server calls them.
    user = models.CharField(max_length=512)
    groups = models.JSONField(default=list)
    # Encrypted (console/signin/sessions.py).
    sealed = models.BinaryField()
    began_at = models.DateTimeField()
    seen_at = models.DateTimeField()
    # Not longer than the credentials live, nor than SIGN_IN_HOURS.
    until = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.user} since {self.began_at:%Y-%m-%d %H:%M}"


class Impersonation(models.Model):
    """One person acting as another, in one browser.

    `key` is a digest, as a session's is; no credentials are here: they are those of `session`.
    """

    key = models.CharField(max_length=64, primary_key=True)
    # The session that it belongs to; '' with SIGN_IN=local.
    session = models.CharField(max_length=64, default="", blank=True, db_index=True)
    cluster = models.CharField(max_length=512)
    # The impersonating user, the impersonated user, and the requested groups.
    by = models.CharField(max_length=512)
    user = models.CharField(max_length=512)
    groups = models.JSONField(default=list)
    # In all groups of these, says the API server.
    member_of = models.JSONField(default=list)
    began_at = models.DateTimeField()
    until = models.DateTimeField(db_index=True)
    # The API server did not allow it any more.
    withdrawn = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"{self.by} as {self.user}"


class Attempt(models.Model):
    """A sign-in that was tried and did not succeed, or is being judged. `address`: a digest of where it came from."""

    address = models.CharField(max_length=64, db_index=True)
    at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.address[:8]} at {self.at:%H:%M:%S}"
