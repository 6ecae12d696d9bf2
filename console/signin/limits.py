"""How often somebody may try: by address, and all together. Kept in the database, so for all web processes alike."""

import hashlib
import ipaddress
from datetime import timedelta

from django.http import HttpRequest
from django.utils import timezone

from console.signin.models import Attempt

#: Within these minutes so many tries of one address may fail, and so many of all.
MINUTES = 5
BY_ADDRESS = 10
BY_ALL = 300


class TooOften(Exception):
    """`seconds` to wait at most."""

    seconds = MINUTES * 60


def begin(request: HttpRequest) -> int:
    """Counts this try before it is judged, so that many at once don't slip through; its number, for good(). Raises TooOften."""
    now = timezone.now()
    Attempt.objects.filter(at__lt=now - timedelta(minutes=MINUTES)).delete()
    mine = Attempt.objects.create(address=_address(request), at=now)
    tried = Attempt.objects.filter(address=mine.address, pk__lte=mine.pk).count()
    if tried > BY_ADDRESS or Attempt.objects.filter(pk__lte=mine.pk).count() > BY_ALL:
        # What is not judged is no try: who waits is let in again, however often others knock.
        mine.delete()
        raise TooOften
    return int(mine.pk)


def good(number: int) -> None:
    """It was no wrong guess."""
    Attempt.objects.filter(pk=number).delete()


def _address(request: HttpRequest) -> str:
    """A network of IPv6 counts as one: everybody has 2^64 addresses there. Kept as a digest: nothing else needs it."""
    text = request.META.get("REMOTE_ADDR", "")
    try:
        found = ipaddress.ip_address(text)
        if found.version == 6:
            text = str(ipaddress.ip_network(f"{text.partition('%')[0]}/64", strict=False))
    except ValueError:
        pass
    return hashlib.sha256(text.encode()).hexdigest()
