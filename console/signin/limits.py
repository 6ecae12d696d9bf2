"""How many sign-ins can fail: counted by address, in the database, so for all web processes alike.

No number of failures elsewhere refuses an address that has not failed itself: while many fail in all, each address has
fewer tries.
"""

import hashlib
import ipaddress
import logging
from datetime import timedelta

from django.http import HttpRequest
from django.utils import timezone

from console.signin.models import Attempt

log = logging.getLogger("console.signin")

#: Within these minutes so many tries of one address can fail.
MINUTES = 5
BY_ADDRESS = 10
#: While more than so many fail in all, an address has fewer.
BY_ALL = 300
BY_ADDRESS_IN_A_CROWD = 3


class TooOften(Exception):
    """`seconds` to wait at most."""

    seconds = MINUTES * 60


def begin(request: HttpRequest) -> int:
    """Counts this try before it is judged, so that many at once don't slip through; its number, for good().

    Raises TooOften.
    """
    now = timezone.now()
    Attempt.objects.filter(at__lt=now - timedelta(minutes=MINUTES)).delete()
    mine = Attempt.objects.create(address=_address(request), at=now)
    tried = Attempt.objects.filter(address=mine.address, pk__lte=mine.pk).count()
    crowd = Attempt.objects.filter(pk__lte=mine.pk).count() > BY_ALL
    if tried > (BY_ADDRESS_IN_A_CROWD if crowd else BY_ADDRESS):
        # A refused attempt doesn't count: otherwise constant attempts would lock the address out for good.
        mine.delete()
        if "X-Forwarded-For" in request.headers:
            peer = request.META.get("REMOTE_ADDR", "")
            log.warning("too many sign-ins failed from %s; if it is a proxy, name it in FORWARDED_ALLOW_IPS", peer)
        raise TooOften
    return int(mine.pk)


def good(number: int) -> None:
    """Removes an attempt that wasn't a wrong guess."""
    Attempt.objects.filter(pk=number).delete()


def _address(request: HttpRequest) -> str:
    """The client's address as a digest. An IPv6 /64 counts as one address: each client has 2^64 of them."""
    text = request.META.get("REMOTE_ADDR", "")
    try:
        found = ipaddress.ip_address(text)
        if found.version == 6:
            text = str(ipaddress.ip_network(f"{text.partition('%')[0]}/64", strict=False))
    except ValueError:
        pass
    return hashlib.sha256(text.encode()).hexdigest()
