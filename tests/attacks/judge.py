"""What a page must not contain, whatever the author of its texts: checked as elements and attributes, not as text."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import urlsplit

from tests.attacks.texts import ELSEWHERE

#: Elements of ours; everything else came from somewhere.
_ELEMENTS = """
    a abbr address article aside b blockquote body br button code col colgroup datalist dd del details dfn
    dialog div dl dt em fieldset footer form h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins kbd
    label legend li link main mark menu meta nav noscript ol optgroup option output p pre progress s samp
    script search section select small span strong sub summary sup table tbody td template textarea tfoot th
    thead time title tr ul var wbr svg path circle rect g defs line polyline polygon ellipse text tspan marker
    desc
"""
ELEMENTS = frozenset(_ELEMENTS.split())
_LEADS = frozenset(
    (
        "href",
        "src",
        "action",
        "formaction",
        "poster",
        "data",
        "ping",
        "srcset",
        "background",
        "cite",
        "manifest",
        "xlink:href",
    )
)
_ASKS = frozenset(
    (
        "hx-get",
        "hx-post",
        "hx-put",
        "hx-patch",
        "hx-delete",
        "hx-push-url",
        "hx-replace-url",
        "hx-boost-url",
        "sse-connect",
        "ws-connect",
    )
)
_BARE = re.compile(r"[\x00-\x20]+")


class _Seen(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.scripts = self.comments = ""
        self.inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        self.inside = tag

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside in ("script", "style"):
            self.scripts += data

    def handle_comment(self, data: str) -> None:
        self.comments += data


def complaints(html: str) -> list[str]:
    """Problems of a page or a part of one; empty if no untrusted text could execute in it, or lead away from it
    unasked.
    """
    seen = _Seen()
    seen.feed(html)
    seen.close()
    found = [f"a script or style in the page: {seen.scripts.strip()[:80]}"] if seen.scripts.strip() else []
    found += ["an attacker's comment"] if "data-atk" in seen.comments or re.search(r"<!--[^<>]*data-atk", html) else []
    for tag, attributes in seen.elements:
        found += [f"<{tag}>: {problem} {dict(attributes)}"[:400] for problem in _problems(tag, attributes)]
    return found


def _problems(tag: str, attributes: dict[str, str]) -> Iterator[str]:
    if tag not in ELEMENTS:
        yield "an element that is none of ours"
    if tag == "script" and not attributes.get("src", "").startswith("/static/"):
        yield "a script that is none of our files"
    if tag == "meta" and attributes.get("http-equiv"):
        yield "http-equiv"
    if tag == "iframe" and not attributes.get("src", "").startswith("/forwarded/"):
        yield "a frame"
    for name, value in attributes.items():
        if name.startswith(("on", "hx-on")) or name in ("style", "srcdoc", "is", "ping", "xmlns:xlink"):
            yield f"the attribute {name}"
        elif "atk" in name or not re.fullmatch(r"[a-z][a-z0-9:-]*", name.lower()):
            yield f"an attribute of the attacker's: {name}"
        elif name in ("hx-vals", "hx-headers", "hx-vars", "hx-request") and value.lstrip().startswith(
            ("js:", "javascript:")
        ):
            yield f"a script in {name}"
        elif name in _ASKS and (urlsplit(value).netloc or not value.startswith(("/", "?", "true", "false", ""))):
            yield f"{name} asks elsewhere"
        elif name in _LEADS:
            yield from _leads(tag, name, value, attributes)


def _leads(tag: str, name: str, value: str, attributes: dict[str, str]) -> Iterator[str]:
    """Browsers leave out white space and control characters before they look for a scheme
    (https://url.spec.whatwg.org/#concept-basic-url-parser).
    """
    bare = _BARE.sub("", value).lower()
    scheme = bare.partition(":")[0] if re.match(r"[a-z][a-z0-9+.-]*:", bare) else ""
    image = tag == "img" and name == "src" and bare.startswith(("data:image/png", "data:image/webp", "data:image/jpeg"))
    if scheme and scheme not in ("http", "https", "mailto") and not image:
        yield f"{name} with the scheme {scheme}"
    away = scheme in ("http", "https") or bare.startswith(("//", "/\\", "\\"))
    if away and tag != "a":
        yield f"{name} leads away without being asked"
    elif away and not {"noopener", "noreferrer"} <= {*attributes.get("rel", "").split()}:
        yield "a link elsewhere that tells where one comes from"
    if ELSEWHERE in bare and tag in ("form", "button", "input"):
        yield f"{name} sends elsewhere"
