"""What the page of one object shows beyond what all objects have in common: a panel or more for each kind that
deserves them.

A module a family of kinds; each says in PANELS which kinds it knows. A panel is data and the template that draws it,
and stands in the page's live region `object`: it is made anew whenever the object changes, so it may ask the API server
for little.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import KubeObject

# (group, kind), '' for the core group.
Kind = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Panel:
    """`id` is the HTML id, one of its own on the page.

    The template finds `data` under that name. `wide`: below the two columns, on its own.
    """

    id: str
    template: str
    data: Any
    wide: bool = False


Maker = Callable[[ClusterClient, ResourceType, KubeObject], Iterable[Panel]]
