"""Cache of the pages that users last saw, shown while the cluster does not answer.

A read-only copy of the page's content, without scripts and the attributes that they read, so that it sends no requests.
Cached in this process for ten minutes by address and session, so that no user sees another user's page.
"""

import re
import time
from dataclasses import dataclass

import nh3
from django.core.cache import caches
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString, mark_safe

from kube import limits

# In templates/base.html, where a page's own content begins.
_BEGIN = b"<!--content-->"
_STYLE = re.compile(rb'<link rel="stylesheet" href="[^"]*">')
_MORE_TAGS = (
    "article aside button circle datalist fieldset figure footer form g header input label legend nav optgroup option "
    "path progress rect section select small svg textarea"
)
_TAGS = nh3.ALLOWED_TAGS | frozenset(_MORE_TAGS.split())
_WITHOUT_CONTENT = {"dialog", "noscript", "script", "style", "template"}
# Of data attributes those alone that style sheets know: scripts look for the others.
_DATA = "chosen label level mark other pairs sum unmatched unmet worst"
_ATTRIBUTES = {
    "*": {"class", "dir", "hidden", "lang", "popover", "role", "title", "type"}
    | {f"data-{name}" for name in _DATA.split()},
    "a": {"href"},
    "button": {"disabled"},
    "details": {"open"},
    "img": {"alt", "height", "src", "width"},
    "input": {"checked", "placeholder", "value"},
    "option": {"selected"},
    "progress": {"max", "value"},
    "td": {"colspan", "rowspan"},
    "textarea": {"rows"},
    "th": {"colspan", "rowspan", "scope"},
    "time": {"data-age", "datetime"},
    "svg": {"fill", "height", "viewBox", "width"},
    "circle": {"cx", "cy", "fill", "r"},
    "path": {"d", "fill"},
    "rect": {"fill", "height", "rx", "width", "x", "y"},
}


@dataclass(frozen=True, slots=True)
class OlderPage:
    """`styles`: the links to its style sheets. `seconds`: its age."""

    content: SafeString
    styles: SafeString
    seconds: float


def keep(address: str, request: HttpRequest, response: HttpResponse) -> None:
    """Keeps a page that a browser navigated to, and nothing else; nor what is to be kept nowhere, as a Secret's
    value.
    """
    headers = response.headers
    is_page = response.status_code == 200 and headers.get("Content-Type", "").startswith("text/html")
    is_asked = request.method == "GET" and request.headers.get("Sec-Fetch-Mode") == "navigate"
    if not is_page or not is_asked or response.streaming or "no-store" in headers.get("Cache-Control", ""):
        return
    head, found, rest = response.content.partition(_BEGIN)
    content = rest.rpartition(b"</main>")[0]
    if found and len(content) <= limits.OLDER_PAGE.value:
        caches["older_pages"].set(address, (time.time(), b"".join(_STYLE.findall(head)), content))


def find(address: str) -> OlderPage | None:
    """The page as it was, if it is still kept."""
    cached = caches["older_pages"].get(address)
    if cached is None:
        return None
    made, styles, content = cached
    clean = nh3.clean(
        content.decode(),
        tags=_TAGS,
        clean_content_tags=_WITHOUT_CONTENT,
        attributes=_ATTRIBUTES,
        generic_attribute_prefixes={"aria-"},
        link_rel=None,
    )
    return OlderPage(
        content=mark_safe(clean),  # noqa: S308  our own page, cleaned on the lines above
        styles=mark_safe(styles.decode()),  # noqa: S308  our own templates'
        seconds=time.time() - made,
    )
