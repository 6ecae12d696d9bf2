"""The order of a list's items as they were sent, where a button without script moved one of them."""

from collections.abc import Callable
from typing import TypeVar

from resources.forms.paths import span

_Node = TypeVar("_Node")
#: How many items of a long list are shown at first, and how many more each time the user asks.
MORE = 50
#: How many fields of one object, likewise; what is set, required or wrong is shown all the same.
FIELDS = 150


def arranged(
    found: list[tuple[str, _Node]],
    up: Callable[[_Node], bool],
    down: Callable[[_Node], bool],
    closed: Callable[[], _Node],
) -> list[tuple[str, _Node]]:
    """Each item that is to go up or down changes places with its neighbour; a closed part of the list gives up the
    one item it must.

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
