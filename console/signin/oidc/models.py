"""What renews a session: one row beside console.signin's, for those who came by OpenID Connect."""

from django.db import models


class Grant(models.Model):
    """A refresh token of one session, and until when the ID token beside it is good."""

    # The session's key.
    session = models.CharField(max_length=64, primary_key=True)
    # Of the ID token: whom a new one has to be of.
    subject = models.CharField(max_length=512)
    # The refresh token, encrypted for this session (console/signin/sessions.py); empty without one, or if refused.
    sealed = models.BinaryField()
    # When the present ID token was given, and when it ends, both by our own clock.
    given_at = models.DateTimeField()
    good_until = models.DateTimeField(db_index=True)
    # One process renews at a time: refresh tokens are used once.
    renewing_until = models.DateTimeField(null=True)
    # The provider gave no new ID token: the session is over, and the sign-in page shows this reason.
    refused = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"{self.session[:8]} until {self.good_until:%Y-%m-%d %H:%M:%S}"
