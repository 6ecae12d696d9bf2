"""kubectl arguments for an object: its name is one word, whatever it contains, and never a flag. And its address."""

import shlex
from urllib.parse import unquote

import pytest
from django.urls import Resolver404, resolve

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


@pytest.mark.parametrize(
    "name", ["plain", "system:node-1", "a/b", "/", "", ".", "..", "%", "%2F", "a%", "?x#y", " ", "한"]
)
def test_any_name_has_an_address_of_its_own(name: str) -> None:
    path = Place(ROLES, "shop", name).url()
    assert path.count("/") == "/resources/g/v/p/ns/n/".count("/")
    assert "/../" not in path and "/./" not in path  # browsers and proxies remove these
    assert resolve(unquote(path)).kwargs["name"] == name


@pytest.mark.parametrize("segment", ["%61", "%2f", "x%25%2f"])
def test_a_name_has_one_address(segment: str) -> None:
    with pytest.raises(Resolver404):
        resolve(f"/resources/core/v1/configmaps/default/{segment}/")
