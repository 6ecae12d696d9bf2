"""The fix of a trouble, where its cause has one that this person may do: as on the object's own page, for the first
few rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from console.overview.part import CardProblem
from console.web import deadline
from kube.client import ClusterClient
from kube.errors import KubeError
from resources.diagnosis.cause_display import ShownFix, shown_causes
from resources.diagnosis.cause_reader import read_causes, state_of
from resources.place import Place

#: A fix needs the object, its tree and its Events: more rows than this have the way to their object only.
MAX_FIXES = 3
_WAIT_SECONDS = 1.0


def with_fixes(
    client: ClusterClient, troubles: Sequence[CardProblem], places: Mapping[str, Place]
) -> tuple[CardProblem, ...]:
    """`places`: the troubles' objects by their url. What isn't known in time is left out."""
    asked = [trouble.url for trouble in troubles if trouble.url in places][:MAX_FIXES]
    questions = {url: partial(_fix, client, places[url]) for url in asked}
    found, _late = deadline.within(client, "fix", questions, _WAIT_SECONDS)
    fixes = {url: fix for url, fix in found.items() if fix}
    return tuple(
        replace(trouble, fix=fixes[trouble.url].label, fix_url=fixes[trouble.url].url)
        if trouble.url in fixes
        else trouble
        for trouble in troubles
    )


def _fix(client: ClusterClient, place: Place) -> ShownFix | None:
    try:
        obj = client.get(place.type, place.name, place.namespace)
        causes = read_causes(client, place, obj, state_of(client, place, obj))
        shown = shown_causes(client, place, causes[:1])
    except KubeError:
        return None
    return shown[0].fix if shown else None
