"""resources/acting/pod_templates.py: rows of variables, and what they make of the containers."""

from dataclasses import replace
from typing import Any

from resources.acting.pod_templates import (
    CONFIG_MAP,
    OTHER,
    POD_FIELD,
    RESOURCE,
    SECRET,
    VALUE,
    Environment,
    Variable,
    WholeSource,
    environment_changes,
    environment_digest,
    environments,
)

PASSWORD = {"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "login", "key": "password", "optional": True}}}
NODE = {"name": "NODE", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "spec.nodeName"}}}
MEMORY = {"name": "MEMORY", "valueFrom": {"resourceFieldRef": {"resource": "limits.memory", "divisor": "1Mi"}}}
FILE = {"name": "FILE", "valueFrom": {"fileKeyRef": {"volumeName": "env", "path": "a", "key": "b"}}}
TEXT = {"name": "TEXT", "value": "one\r\ntwo"}
WHOLE = {"configMapRef": {"name": "settings", "optional": True}, "prefix": "S_"}
ALL = [TEXT, PASSWORD, NODE, MEMORY, FILE]


def pod_spec(*env: dict[str, Any], **more: Any) -> dict[str, Any]:
    web = {"name": "web", "image": "a", **({"env": list(env)} if env else {}), **more}
    return {"containers": [web, {"name": "side", "image": "b"}], "initContainers": [{"name": "first", "env": [TEXT]}]}


def web(*variables: Variable, whole: tuple[WholeSource, ...] = ()) -> Environment:
    return Environment(container="web", variables=variables, whole_sources=whole)


def env_after(before: dict[str, Any], *variables: Variable) -> Any:
    return environment_changes(before, [web(*variables)])["containers"][0].get("env")


def test_each_source_has_a_row() -> None:
    first, side, init = environments(pod_spec(*ALL, envFrom=[WHOLE]))
    assert first.variables == (
        Variable(name="TEXT", value="one\ntwo", was="TEXT"),
        Variable(name="PASSWORD", source=SECRET, source_name="login", value="password", was="PASSWORD"),
        Variable(name="NODE", source=POD_FIELD, value="spec.nodeName", was="NODE"),
        Variable(name="MEMORY", source=RESOURCE, value="limits.memory", was="MEMORY"),
        Variable(name="FILE", source=OTHER, was="FILE"),
    )
    assert first.whole_sources == (WholeSource(kind=CONFIG_MAP, name="settings", prefix="S_"),)
    assert (side.variables, init.container) == ((), "first")


def test_what_no_row_changed_stays_as_it_was() -> None:
    before = pod_spec(*ALL, envFrom=[WHOLE, {"prefix": "odd"}])
    assert environment_changes(before, environments(before)) == {}


def test_a_row_keeps_the_fields_that_it_does_not_show() -> None:
    rows = environments(pod_spec(*ALL))[0].variables
    renamed = [replace(row, name=f"NEW_{row.name}") for row in rows]
    assert env_after(pod_spec(*ALL), *renamed) == [
        {"name": "NEW_TEXT", "value": "one\ntwo"},
        {**PASSWORD, "name": "NEW_PASSWORD"},
        {**NODE, "name": "NEW_NODE"},
        {**MEMORY, "name": "NEW_MEMORY"},
        {**FILE, "name": "NEW_FILE"},
    ]


def test_rows_are_added_removed_and_turned_to_another_source() -> None:
    row = environments(pod_spec(TEXT, PASSWORD))[0].variables[1]
    assert env_after(
        pod_spec(TEXT, PASSWORD),
        replace(row, source=VALUE, source_name="", value="plain"),
        Variable(name="COLOUR", source=CONFIG_MAP, source_name="paint", value="colour"),
    ) == [
        {"name": "PASSWORD", "value": "plain"},
        {"name": "COLOUR", "valueFrom": {"configMapKeyRef": {"name": "paint", "key": "colour"}}},
    ]


def test_the_last_variable_leaves_no_empty_list() -> None:
    found = environment_changes(pod_spec(TEXT, envFrom=[WHOLE]), [web()])
    assert found == {"containers": [{"name": "web", "image": "a"}, {"name": "side", "image": "b"}]}


def test_a_name_that_stands_twice_stays_twice() -> None:
    before = pod_spec({"name": "A", "value": "1"}, {"name": "A", "value": "2"})
    assert environment_changes(before, environments(before)) == {}


def test_an_init_container_is_one_too() -> None:
    found = environment_changes(pod_spec(), [Environment(container="first", variables=(), whole_sources=())])
    assert found == {"initContainers": [{"name": "first"}]}


def test_all_keys_of_an_object() -> None:
    whole = (WholeSource(kind=CONFIG_MAP, name="settings", prefix="S_"), WholeSource(kind=SECRET, name="login"))
    found = environment_changes(pod_spec(envFrom=[WHOLE]), [web(whole=whole)])
    assert found["containers"][0]["envFrom"] == [WHOLE, {"secretRef": {"name": "login"}}]


def test_the_digest_is_of_the_variables_alone() -> None:
    assert environment_digest(pod_spec(TEXT)) == environment_digest(pod_spec(TEXT, image="other"))
    assert environment_digest(pod_spec(TEXT)) != environment_digest(pod_spec(TEXT, PASSWORD))
