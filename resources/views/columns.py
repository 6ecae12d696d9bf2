"""/resources/<group>/<version>/<plural>/columns/: the columns and the number of rows that a user chose for a kind;
stored for the signed-in user, or in a cookie of the kind's addresses.
"""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.views.decorators.http import require_POST

from console.prefer import store
from console.prefer.store import SIZE, SIZES
from console.web.request import ConsoleRequest, own_address
from kube import limits
from resources.lists import columns
from resources.place import place_of

#: Its path is that of the kind, so each kind has one of its own and no request carries those of all.
COOKIE = "console_list"
_YEAR = 365 * 24 * 3600


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """`keys` of columns (resources/lists/columns.py), none for the default ones; `size`: rows of a page; `dense`: rows
    of one line.
    """

    keys: tuple[str, ...] = ()
    size: int = SIZE
    dense: bool = False

    @classmethod
    def from_request(cls, request: HttpRequest, kind: str) -> "ColumnChoice":
        """As the address asks (`?columns=`), else as stored for `kind` (`<plural>.<group>`).

        Unreadable values are ignored.
        """
        mine = store.columns_of(request, kind)
        stored = QueryDict((request.COOKIES.get(COOKIE, "") if mine is None else mine)[: limits.COOKIE.value])
        asked = request.GET.get("columns")
        size = _size(stored.get("size", ""), store.preferences_of(request).size)
        keys = columns.read(stored.get("columns", "") if asked is None else asked)
        return cls(keys, size, stored.get("dense") == "1")

    @property
    def text(self) -> str:
        query = {"columns": columns.show(self.keys), "size": self.size}
        return urlencode(query | ({"dense": "1"} if self.dense else {}))


def _size(text: str, usual: int) -> int:
    return int(text) if text in map(str, SIZES) else usual


@require_POST
def choose(request: ConsoleRequest, group: str, version: str, plural: str) -> HttpResponse:
    """`column` (keys, many), `label` (keys of labels, with commas between), `size`, `dense=1`; `reset` forgets.

    Goes back to `next`.
    """
    place = place_of(request, group, version, plural)
    response = HttpResponseRedirect(own_address(request, request.POST.get("next", "")) or place.list_url)
    labels = (part.strip() for part in request.POST.get("label", "").split(","))
    keys = (*request.POST.getlist("column"), *(f"{columns.LABEL}{label}" for label in labels if label))
    size = _size(request.POST.get("size", ""), store.preferences_of(request).size)
    choice = ColumnChoice(columns.read(columns.show(keys)), size, request.POST.get("dense") == "1")
    forget = "reset" in request.POST or len(choice.text) > limits.COOKIE.value
    if store.person_of(request):
        store.keep_columns(request, place.type.qualified, None if forget else choice.text)
    elif forget:
        response.delete_cookie(COOKIE, path=place.list_url, samesite="Lax")
    else:
        response.set_cookie(
            COOKIE,
            choice.text,
            path=place.list_url,
            max_age=_YEAR,
            samesite="Lax",
            httponly=True,
            secure=settings.HTTPS,
        )
    return response
