"""What the page of one object shows beyond what all objects have in common: a panel or more for each kind that
deserves them.

Each module has a family of kinds, listed in its PANELS. A panel is data and the template that draws it. It is in the
page's live region `object` and is rendered again whenever the object changes, so it must make few requests.
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
