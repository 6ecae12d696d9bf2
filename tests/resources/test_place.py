"""kubectl arguments for an object: its name is one word, whatever it contains, and never a flag."""

import shlex

import pytest

from kube.discovery import ResourceType
from resources.place import Place

ROLES = ResourceType(
    group="rbac.authorization.k8s.io",
    version="v1",
    plural="roles",
    kind="Role",
    namespaced=True,
    verbs=frozenset(("get",)),
)


@pytest.mark.parametrize("name", ["plain", "it's", "a b", "x;reboot", "$(id)", "`id`", "a\nb"])
def test_a_name_is_one_word(name: str) -> None:
    assert shlex.split(Place(ROLES, "shop", name).kubectl) == [ROLES.qualified, name, "-n", "shop"]


def test_a_name_is_no_flag() -> None:
    """As in kubectl delete roles --all."""
    assert shlex.split(Place(ROLES, "shop", "--all").kubectl) == [f"{ROLES.qualified}/--all", "-n", "shop"]
