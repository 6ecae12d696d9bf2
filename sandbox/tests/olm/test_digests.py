"""Names and labels that end in a digest are those that upstream gives to the same content."""

from sandbox.catalog.manifests import Api
from sandbox.olm.digests import digest, name_for
from sandbox.olm.user_roles import for_group, label_for

RULES = [{"verbs": ["get", "list"], "apiGroups": [""], "resources": ["namespaces"]}]


def test_a_role_is_named_after_its_content() -> None:
    first = name_for("tea.v1-brewer", {"name": "tea.v1", "permission": {"rules": RULES}})
    assert first != name_for("tea.v1-brewer", {"name": "tea.v1", "permission": {"rules": []}})
    assert len(name_for("x" * 200, {})) <= 63


def test_rules_have_upstreams_digest() -> None:
    # Seen on a real cluster: the ClusterRole of conformance-kettles.
    assert digest(RULES) == "buwU7CYYi29aSt7AtJS3EQoL18fwxb8A6I0K3O"


def test_a_groups_roles_are_named_as_upstreams() -> None:
    group = {"metadata": {"name": "group", "namespace": "k1"}}
    kettle = Api("tea.conformance.example", "v1", "Kettle")
    admin, *_ = for_group(group, [kettle])
    assert admin["metadata"]["name"] == "olm.og.group.admin-7A5VHraJ8wewoBzu6HATUylqdfBjbXF2PeMiLM"
    (selector,) = admin["aggregationRule"]["clusterRoleSelectors"]
    assert selector["matchLabels"] == {"olm.opgroup.permissions/aggregate-to-8f097cc39f96a606-admin": "true"}
    assert label_for(kettle, "admin") in selector["matchLabels"]
    assert for_group(group, [])[0]["aggregationRule"] is None
