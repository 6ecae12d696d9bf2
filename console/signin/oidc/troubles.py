"""What goes wrong between the console, the provider and a person: each with words that say what to do, and nothing
of what was sent.
"""

from django.conf import settings


class SignInError(Exception):
    """`status`: of the response.

    `counts`: it counts as a guess: the cause may be the client, not the console or the provider. `log`: for the
    console's log.
    """

    def __init__(self, words: str, status: int = 401, *, counts: bool = False, log: str = "") -> None:
        super().__init__(words)
        self.status, self.counts, self.log = status, counts, log or words


class Away(SignInError):
    """The provider does not answer, or answers what it should not: it may do better in a while."""


class SignInRefused(SignInError):
    """The provider refuses the code or the refresh token."""


def name() -> str:
    """What people call the provider."""
    return settings.OIDC_NAME or settings.OIDC_ISSUER.partition("://")[2].partition("/")[0]
