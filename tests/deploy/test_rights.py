"""What overlays/least-privilege grants: each line of the table in docs/deploy.md is asked of the API server, and
nothing stronger slips in.
"""

import re
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api import Api
from tests.deploy.manifests import ROOT, objects
from tests.deploy.test_manifests import PATHS
from tests.eventually import until

TABLE = re.findall(
    r"^\| ([^|]+) \| (\w+) \| ([\w./-]+) \| (yes|no|with the operator) \|$",
    (ROOT / "docs/deploy.md").read_text(),
    re.MULTILINE,
)
GROUP, KINDS = "samples.operator-console.dev", "sampledbs"


@pytest.fixture(scope="module")
def api(cluster_kubeconfig: Path) -> Api:
    return Api(cluster_kubeconfig)


@pytest.fixture(scope="module")
def account(api: Api) -> Iterator[str]:
    """The user name of a ServiceAccount with these rights."""
    namespace = f"okd-style-{secrets.token_hex(3)}"
    made = []
    for obj in objects("least-privilege", namespace):
        if obj["kind"] in ("ClusterRole", "ClusterRoleBinding"):
            assert api.post(PATHS[obj["kind"]], obj).status == 201
            made.append(f"{PATHS[obj['kind']]}/{obj['metadata']['name']}")
    # What OLM keeps for a kind of an operator: https://github.com/operator-framework/operator-lifecycle-manager,
    # ensureProvidedAPIClusterRole.
    for suffix, verbs in (("view", ["get", "list", "watch"]), ("edit", ["create", "update", "patch", "delete"])):
        role = {
            "metadata": {
                "name": f"{namespace}-{suffix}",
                "labels": {"olm.managed": "true", f"rbac.authorization.k8s.io/aggregate-to-{suffix}": "true"},
            },
            "rules": [{"apiGroups": [GROUP], "resources": [KINDS], "verbs": verbs}],
        }
        assert api.post(PATHS["ClusterRole"], role).status == 201
        made.append(f"{PATHS['ClusterRole']}/{namespace}-{suffix}")
    api.until(
        f"{PATHS['ClusterRole']}/{namespace}-console",
        lambda role: _has(role, "create", KINDS) and _has(role, "list", "pods"),
        60,
    )
    yield f"system:serviceaccount:{namespace}:console"
    for path in made:
        api.delete(path)


def _has(role: dict, verb: str, resource: str) -> bool:  # type: ignore[type-arg]
    return any(verb in rule["verbs"] and resource in rule.get("resources", ()) for rule in role.get("rules") or ())


def test_the_table_is_there() -> None:
    assert len(TABLE) > 30
    assert {line[3] for line in TABLE} == {"yes", "no", "with the operator"}


@pytest.mark.parametrize(
    ("feature", "verb", "resource", "granted"), TABLE, ids=[f"{item[1]} {item[2]}" for item in TABLE]
)
def test_each_feature_is_granted_as_the_table_says(
    feature: str, verb: str, resource: str, granted: str, api: Api, account: str
) -> None:
    plural, _, sub = resource.partition("/")
    name, _, group = plural.partition(".")
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {
            "user": account,
            "groups": ["system:serviceaccounts", "system:authenticated"],
            "resourceAttributes": {
                "verb": verb,
                "group": group,
                "resource": name,
                "subresource": sub,
                "namespace": "default",
            },
        },
    }
    # An authorizer hears of a new role a moment after it was made.

    def as_documented() -> bool:
        answer = api.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", review)
        assert answer.status == 201, answer.raw
        return bool(answer.json["status"]["allowed"] == (granted != "no"))

    until(as_documented, f"{feature}: {verb} {resource} granted: {granted}", seconds=30)


def test_nothing_stronger_is_granted() -> None:
    roles = [obj for obj in objects("least-privilege") if obj["kind"] == "ClusterRole"]
    assert len(roles) == 4
    for rule in (rule for role in roles for rule in role["rules"]):
        assert "*" not in [*rule["verbs"], *rule["apiGroups"], *rule["resources"]]
        assert not {"escalate", "bind", "impersonate"} & set(rule["verbs"])
        assert not {
            "secrets",
            "pods/exec",
            "pods/attach",
            "pods/portforward",
            "serviceaccounts/token",
            "nodes/proxy",
        } & set(rule["resources"])
        if {"create", "update", "patch", "delete"} & set(rule["verbs"]):
            assert set(rule["resources"]) <= {
                "namespaces",
                "operatorgroups",
                "subscriptions",
                "installplans",
                "clusterserviceversions",
            }


def test_each_rule_has_its_reason() -> None:
    text = (ROOT / "deploy/overlays/least-privilege/clusterroles.yaml").read_text()
    lines = text.splitlines()
    rules = [number for number, line in enumerate(lines) if line.startswith("  - apiGroups")]
    assert len(rules) > 15
    for number in rules:
        assert lines[number - 1].startswith("  # "), lines[number]
