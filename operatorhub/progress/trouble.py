"""The first broken link of an install: what happened in a plain sentence, OLM's own words, and what can be done
about it.

Looked for in the order in which OLM works, with one exception: a Pod that can't run explains a ClusterServiceVersion
that has given up waiting for it.
"""

from collections.abc import Callable, Iterator

from operatorhub import olm
from operatorhub.progress import plan_problems, resolution_problems
from operatorhub.progress.facts import InstallFacts
from operatorhub.progress.problem import Trouble, Way

__all__ = ["Trouble", "Way", "find"]

_RULES: tuple[Callable[[InstallFacts], Iterator[Trouble]], ...] = (
    resolution_problems.place,
    resolution_problems.catalog,
    resolution_problems.resolution,
    resolution_problems.bundle,
    plan_problems.plan,
    plan_problems.requirements,
    plan_problems.containers,
    plan_problems.deployments,
    plan_problems.version,
    resolution_problems.silence,
)


def find(facts: InstallFacts) -> Trouble | None:
    """What has failed, or else what is in the way so far; None while nothing is."""
    if facts.phase == olm.SUCCEEDED:
        return None
    troubles = [trouble for rule in _RULES for trouble in rule(facts)]
    return next((trouble for trouble in troubles if trouble.settled), troubles[0] if troubles else None)
