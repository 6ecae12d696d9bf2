"""Where a value stands in an object, and how the form's controls spell that.

A *path* is where the value is: `("spec", "users", 0, "name")`. A *pointer* names it in the HTML: `/spec/users/@0/name`,
RFC 6901 with three additions, so that removing or moving one item renames no other. `@3` is item 3 of the list (or
entry 3 of the map) that the page was made from; `@n7` is one that was added in the browser; `@50-99` are items 50 to 99
of a long list, which the page does not show. A property's own leading "@" is written `~2`.
"""

import re
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import quote

Path = tuple[str | int, ...]
Tokens = tuple[str, ...]
_Node = TypeVar("_Node")

ITEM = re.compile(r"^@(n?)(\d{1,9})$", re.ASCII)
RANGE = re.compile(r"^@(\d{1,9})-(\d{1,9})$", re.ASCII)
#: How many items of a long list are shown at first, and how many more each time the user asks.
ITEMS_AT_ONCE = 50
#: How many fields of one object, likewise; what is set, required or wrong is shown all the same.
FIELDS_AT_ONCE = 150


def token(key: str) -> str:
    """A property's name as one part of a pointer."""
    escaped = key.replace("~", "~0").replace("/", "~1")
    return f"~2{escaped[1:]}" if escaped.startswith("@") else escaped


def untoken(part: str) -> str:
    """The property's name that `part` stands for."""
    if part.startswith("~2"):
        part = f"@{part[2:]}"
    return part.replace("~1", "/").replace("~0", "~")


def split(pointer: str) -> Tokens:
    """The parts of a pointer, still escaped. Raises ValueError if it isn't one."""
    if not pointer:
        return ()
    if not pointer.startswith("/"):
        raise ValueError(f"not a pointer: {pointer!r}")
    return tuple(pointer[1:].split("/"))


def is_item(part: str) -> bool:
    return bool(ITEM.match(part))


def position(part: str) -> int | None:
    """The item's place in what the page was made from; None for one that was added in the browser."""
    match = ITEM.match(part)
    return int(match[2]) if match and not match[1] else None


def span(part: str) -> range | None:
    """The places of the items that a closed part of a long list stands for; None where `part` is something else."""
    match = RANGE.match(part)
    return range(int(match[1]), int(match[2]) + 1) if match else None


def element_id(pointer: str) -> str:
    """An id for the element that shows this: letters, digits and what needs no escape in a fragment."""
    return "f" + quote(pointer.replace("/", "."), safe="@._-~").replace("%", "!")


def words(path: Path) -> str:
    """The path as the API server and kubectl write it: `spec.users[0].name`, `data[tls.crt]`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif re.fullmatch(r"[A-Za-z0-9_-]+", part):
            text += f".{part}" if text else part
        else:
            text += f"[{part}]"
    return text


def arranged(
    found: list[tuple[str, _Node]],
    up: Callable[[_Node], bool],
    down: Callable[[_Node], bool],
    closed: Callable[[], _Node],
) -> list[tuple[str, _Node]]:
    """A list's items as the buttons without script order them: each item that is to go up or down changes places with
    its neighbour; a closed part of the list gives up the one item it must.

    `closed` makes a node for an item that was not on the page.
    """
    moving = [part for part, node in found if up(node) or down(node)]
    for part in moving:
        place = next(number for number, (name, _) in enumerate(found) if name == part)
        other = place - 1 if up(found[place][1]) else place + 1
        if not 0 <= other < len(found):
            continue
        places = span(found[other][0])
        if places is not None and len(places) > 1:
            first, last = places[0], places[-1]
            near = [(f"@{first}", closed()), (f"@{first + 1}-{last}", found[other][1])]
            if other < place:
                near = [(f"@{first}-{last - 1}", found[other][1]), (f"@{last}", closed())]
            found[other : other + 1] = near
            place, other = (place + 1, place) if other < place else (place, place + 1)
        found[place], found[other] = found[other], found[place]
    return found
