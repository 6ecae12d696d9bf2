"""`{% load live %}`: where the live stream stood when this page was made, so that nothing between page and stream is
missed.
"""

import time
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from resources.changes import position

register = template.Library()
# For a request whose start is not known: longer than a page takes to make.
_MARGIN_SECONDS = 10.0


def position_at_start(request: Any) -> str:
    """Where the streams stood before anything was read for this request. '' without Redis."""
    started = getattr(request, "started", None)
    ago = _MARGIN_SECONDS if started is None else time.monotonic() - started + 0.1
    return position(ago)


@register.simple_tag(takes_context=True)
def live_since(context: Any) -> SafeString:
    """`data-live-since="…"`: a position from before the page's data was read.

    Empty without Redis: the stream then says `resync`.
    """
    return format_html('data-live-since="{}"', position_at_start(context.get("request")))
