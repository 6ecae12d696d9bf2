"""What is typed for the operator's own Pods, and what becomes of it."""

from typing import Any

import pytest

from console.web.clusters import console_client
from operatorhub.install import config


def read(asked: tuple[tuple[str, str], ...] = (), **typed: str) -> config.ConfigForm:
    data = {key if key.startswith("token_") else f"config_{key}": value for key, value in typed.items()}
    form = config.ConfigForm(data, asked)
    form.full_clean()
    return form


def test_nothing_typed_is_nothing() -> None:
    assert read().spec == {}
    assert not read().is_used


def test_lines_become_fields() -> None:
    found = read(
        env="LOG=debug\r\nEMPTY=\n\nURL=a=b",
        node_selector="disk=ssd",
        tolerations="infra\ngpu=yes:NoSchedule\nspot:NoExecute",
        requests_cpu="100m",
        limits_memory="1Gi",
    )
    assert found.errors == {}
    assert found.spec == {
        "env": [{"name": "LOG", "value": "debug"}, {"name": "EMPTY", "value": ""}, {"name": "URL", "value": "a=b"}],
        "nodeSelector": {"disk": "ssd"},
        "tolerations": [
            {"key": "infra", "operator": "Exists"},
            {"key": "gpu", "operator": "Equal", "value": "yes", "effect": "NoSchedule"},
            {"key": "spot", "operator": "Exists", "effect": "NoExecute"},
        ],
        "resources": {"requests": {"cpu": "100m"}, "limits": {"memory": "1Gi"}},
    }


def test_yaml_says_the_rest_and_lines_win() -> None:
    found = read(yaml="env: [{name: LOG, value: info}, {name: OTHER, value: x}]\nvolumes: []", env="LOG=debug")
    assert found.spec["env"] == [{"name": "LOG", "value": "debug"}, {"name": "OTHER", "value": "x"}]
    assert found.spec["volumes"] == []
    strange = read(yaml="env: 5\ntolerations: x", env="LOG=debug", tolerations="gpu")
    assert strange.spec == {"env": 5, "tolerations": "x"}
    odd = read(yaml="env: [{name: {a: b}}, text, {name: LOG}]", env="LOG=debug")
    assert odd.spec["env"] == [{"name": "LOG", "value": "debug"}, {"name": {"a": "b"}}, "text"]


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({"env": "LOG"}, "Line 1"),
        ({"env": "A=1\nA=2"}, "duplicate"),
        ({"env": "1A=1"}, "valid environment variable name"),
        ({"tolerations": "gpu=yes:Never"}, "NoSchedule"),
        ({"requests_cpu": "much"}, "isn't a valid quantity"),
        ({"yaml": "affinity: ["}, ""),
        ({"yaml": "just text"}, "spec.config"),
        ({"yaml": "replicas: 3"}, "no field “replicas”"),
    ],
)
def test_what_can_not_be_read_is_said_at_its_field(typed: dict[str, Any], words: str) -> None:
    found = read(**typed)
    (name,), (value,) = typed, typed.values()
    assert list(found.errors) == [f"config_{name}"]
    assert words in found.errors[f"config_{name}"][0]
    assert found[f"config_{name}"].value() == value


def test_all_that_is_wrong_is_said_at_once(cluster_kubeconfig: Any) -> None:
    """Each line and each field, and what the schema finds in the YAML besides."""
    found = read(
        env="LOG\nA=1\nA=2\n1B=1\n2C=1",
        node_selector="disk",
        tolerations="a=b:Never\ngpu\nc:d:e",
        requests_cpu="much",
        limits_memory="little",
        yaml="replicas: 3\npods: 2",
    )
    assert {name.removeprefix("config_"): len(errors) for name, errors in found.errors.items()} == {
        "env": 4,
        "node_selector": 1,
        "tolerations": 2,
        "requests_cpu": 1,
        "limits_memory": 1,
        "yaml": 2,
    }
    assert [error.split(":")[0] for error in map(str, list(found.errors["config_env"])[:2])] == ["Line 1", "Line 3"]
    wrong = read(yaml="volumes: nope\nenv:\n- name: 5\n", requests_cpu="much", env="LOG")
    config.check_schema(console_client(), wrong)
    assert list(wrong.errors) == ["config_env", "config_requests_cpu", "config_yaml"]
    assert "Line 1: volumes:" in wrong.errors["config_yaml"][0]


def test_a_cloud_identity_is_environment_and_asked_for_only_where_it_is_read() -> None:
    asked = config.token_fields({"features.operators.openshift.io/token-auth-aws": "true"})
    assert asked == (("ROLEARN", "AWS role ARN"),)
    assert config.token_fields({"features.operators.openshift.io/token-auth-gcp": "false"}) == ()
    found = read(asked, token_ROLEARN="arn:aws:iam::1:role/x", env="A=1")
    assert found.spec["env"][0] == {"name": "ROLEARN", "value": "arn:aws:iam::1:role/x"}
    assert read(asked, token_ROLEARN="").spec == {}


def posted(given: dict[str, Any]) -> config.ConfigForm:
    form = config.ConfigForm(config.as_posted(given))
    form.full_clean()
    return form


def test_the_api_takes_the_names_of_the_subscription() -> None:
    """H7: documented names were dropped without a word."""
    spec = {
        "nodeSelector": {"disk": "ssd"},
        "tolerations": [{"key": "gpu", "operator": "Exists"}],
        "resources": {"limits": {"memory": "1Gi"}},
        "env": [{"name": "LOG", "value": "debug"}],
        "volumes": [{"name": "data", "emptyDir": {}}],
    }
    found = posted(spec)
    assert (found.spec, found.errors) == (spec, {})


def test_each_part_may_be_yaml_text_and_the_forms_fields_stay() -> None:
    """H7: what worked before works on: lines of env, node_selector."""
    found = posted({"nodeSelector": "disk: ssd", "env": "- {name: LOG, value: debug}", "volumes": "[]"})
    assert found.spec == {"nodeSelector": {"disk": "ssd"}, "env": [{"name": "LOG", "value": "debug"}], "volumes": []}
    lines = posted({"node_selector": "disk=ssd", "env": "LOG=debug", "requests_cpu": "1"})
    assert lines.spec == {
        "nodeSelector": {"disk": "ssd"},
        "env": [{"name": "LOG", "value": "debug"}],
        "resources": {"requests": {"cpu": "1"}},
    }
    assert posted({"node_selector": {"disk": "ssd"}}).spec == {"nodeSelector": {"disk": "ssd"}}
    assert posted({"volumes": "{"}).errors


def test_the_yaml_is_held_to_the_schema_of_the_subscription(cluster_kubeconfig: Any) -> None:
    """H8: at the line that is wrong."""
    client = console_client()
    wrong = read(yaml="affinity: {}\nvolumes: nope\nenv:\n- name: A\n- name: 5\n")
    config.check_schema(client, wrong)
    (message,) = wrong.errors["config_yaml"]
    assert "Line 2: volumes:" in message
    assert "Line 5: env[1].name:" in message
    good = read(yaml="volumes: [{name: data, emptyDir: {}}]", env="A=5")
    config.check_schema(client, good)
    assert good.errors == {}
