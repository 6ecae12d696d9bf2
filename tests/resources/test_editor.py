"""The YAML editor's reasoning, without a browser: where the cursor is, what may stand there, what is wrong.

Node runs the very modules.
"""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["spec"],
    "properties": {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "metadata": {"$ref": "#/components/schemas/Meta"},
        "spec": {
            "type": "object",
            "required": ["engine", "users"],
            "properties": {
                "replicas": {"type": "integer", "minimum": 1, "maximum": 9, "default": 1, "description": "How many."},
                "engine": {"type": "string", "enum": ["valkey", "on", "redis"]},
                "debug": {"type": "boolean"},
                "port": {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True},
                "users": {"type": "array", "items": {"$ref": "#/components/schemas/User"}},
                "tags": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
                "config": {"type": "object", "additionalProperties": {"type": "string"}},
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                "backup": {"type": "object", "properties": {"at": {"type": "string"}, "keep": {"type": "integer"}}},
                "ratio": {"type": "number"},
            },
        },
        "status": {"type": "object", "properties": {"phase": {"type": "string"}}},
    },
    "components": {
        "Meta": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            },
        },
        "User": {
            "type": "object",
            "required": ["name", "role"],
            "properties": {
                "name": {"type": "string"},
                "role": {"type": "string", "enum": ["reader", "writer"], "default": "reader"},
                "next": {"$ref": "#/components/schemas/User"},
            },
        },
    },
}
PROGRAM = """
import { options } from "%(root)s/static/js/editor/complete.js";
import { fieldAt, kindAt, placeAt } from "%(root)s/static/js/editor/place.js";
import { columnAfter } from "%(root)s/static/js/editor/typing.js";
import { faults, read, scalarOf } from "%(root)s/static/js/editor/check.js";
let input = "";
for await (const part of process.stdin) input += part;
const { asked, schema } = JSON.parse(input);
const words = {
  required: "required", default: "default", unknown: "unknown", missing: "missing", type: "must be", oneOf: "one of",
  immutable: "immutable",
};
const option = (found) => [found.label, Boolean(found.required), found.template];
const answers = asked.map(([what, text, extra]) => {
  const at = text.indexOf("|");
  const plain = at < 0 ? text : text.slice(0, at) + text.slice(at + 1);
  const lines = plain.split("\\n");
  const row = text.slice(0, at).split("\\n").length - 1;
  const column = text.slice(0, at).split("\\n").at(-1).length;
  const found = placeAt(lines, row, column);
  if (what === "place") return found && { ...found, keys: [...found.keys].sort() };
  if (what === "enter") return columnAfter(text);
  if (what === "field") return fieldAt(lines, row);
  if (what === "kind") return kindAt(lines, row);
  if (what === "options") return found && options(schema, found, extra ?? []).map(option);
  if (what === "scalars") return read(plain)[0].contents.items.map((pair) => scalarOf(pair.value));
  const errors = read(plain).flatMap((document) =>
    document.errors.length ? document.errors : faults(document.contents, schema, words));
  const rowOf = (error) => plain.slice(0, error.from).split("\\n").length;
  return errors.map((error) => [rowOf(error), plain.slice(error.from, error.to), error.message]);
});
console.log(JSON.stringify(answers));
"""


def ask(*asked: tuple[Any, ...]) -> list[Any]:
    """What the modules answer to each question."""
    node = shutil.which("node") or shutil.which(str(ROOT / ".venv/bin/node"))
    if node is None or not (ROOT / "node_modules/yaml").is_dir():
        pytest.skip("needs Node.js and the front-end packages: make setup")
    program = PROGRAM % {"root": ROOT}
    answer = subprocess.run(
        [node, "--input-type=module", "-e", program],
        input=json.dumps({"asked": asked, "schema": SCHEMA}),
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=60,
    )
    assert answer.returncode == 0, answer.stderr
    return list(json.loads(answer.stdout))


PLACES = [
    ("spec:\n  |", "key", ["spec"]),
    ("spec:\n  users:\n  - name: a\n    |", "key", ["spec", "users", 0]),
    ("spec:\n  users:\n  - name: a\n  - |", "key", ["spec", "users", 1]),
    ("spec:\n  users:\n    - name: a\n      ro|", "key", ["spec", "users", 0]),
    ("spec:\n  users:\n  |", "key", ["spec"]),
    ("spec:\n  users:\n    |", "key", ["spec", "users"]),
    ("spec:\n  engine: |", "value", ["spec", "engine"]),
    ("spec:\n  users:\n  - role: re|", "value", ["spec", "users", 0, "role"]),
    ("a:\n- - x: 1\n    |", "key", ["a", 0, 0]),
    ("|", "key", []),
    ("spec:\n  a: 1\n|", "key", []),
    ("spec:\n  config:\n    a.b/c: 1\n    |", "key", ["spec", "config"]),
    ("spec:\n  text: >-\n    words: here\n  |", "key", ["spec"]),
    ('spec:\n  "quoted key":\n    |', "key", ["spec", "quoted key"]),
    ("x: 1\n---\nspec:\n  |", "key", ["spec"]),
    ("spec:\n  # note\n\n  a: 1\n\n  |\n\nother: 1", "key", ["spec"]),
]


def test_where_the_cursor_is() -> None:
    found = ask(*(("place", text) for text, _, _ in PLACES))
    assert [(item["what"], item["path"]) for item in found] == [(what, path) for _, what, path in PLACES]


def test_where_nothing_can_be_said() -> None:
    texts = ["a: |x\n", "# a|", "a: [b, |", "text: >\n  words|", "run: |-\n  if a:\n    |"]
    texts[0] = "a: b # c|"
    texts[4] = "run: \u0007-\n  if a:\n    b|".replace("\u0007", "|", 1)
    assert ask(*(("place", text) for text in texts[:4])) == [None] * 4


def test_keys_that_are_there_already_are_known() -> None:
    text = "spec:\n  a: 1\n  users:\n  - name: x\n    role: y\n  |\n  b:\n    c: 1\nd: 1\n"
    items = "spec:\n  users:\n  - name: x\n    |\n    role: y\n  - next: z\n"
    assert [item["keys"] for item in ask(("place", text), ("place", items))] == [["a", "b", "users"], ["name", "role"]]


def test_what_may_stand_there_begins_with_what_must() -> None:
    (found,) = ask(("options", "kind: X\nspec:\n  debug: true\n  |"))
    labels = [item[0] for item in found]
    assert {item[0] for item in found if item[1]} == {"engine", "users"}
    assert "debug" not in labels
    templates = {item[0]: item[2] for item in found}
    assert templates["engine"] == "engine: ${}"
    assert templates["users"] == "users:\n\t- name: ${}\n\t\trole: ${reader}"
    assert templates["replicas"] == "replicas: ${1}"
    assert templates["config"] == "config:\n\t${}"


def test_items_begin_with_a_dash() -> None:
    below, inside = ask(("options", "spec:\n  users:\n    |"), ("options", "spec:\n  users:\n  - |"))
    assert next(item[2] for item in below) == "- name: ${}"
    assert next(item[2] for item in inside) == "name: ${}"


def test_values() -> None:
    engine, debug, role, tags, kinds = ask(
        ("options", "spec:\n  engine: |"),
        ("options", "spec:\n  debug: |"),
        ("options", "spec:\n  users:\n  - role: |"),
        ("options", "spec:\n  tags:\n  - |"),
        ("options", "kind: |", [["v1", "Pod"], ["apps/v1", "Deployment"]]),
    )
    assert [item[0] for item in engine] == ["valkey", '"on"', "redis"]
    assert [item[0] for item in debug] == ["true", "false"]
    assert [item[0] for item in role] == ["reader", "writer"]
    assert [tag[0] for tag in tags] == ["a", "b"]
    assert [kind[0] for kind in kinds] == ["Pod", "Deployment"]


def test_the_field_of_a_line() -> None:
    found = ask(
        ("field", "spec:\n  users:\n  - name: a\n    ro|le: b\n"),
        ("field", "# c|\n"),
        ("field", "a: |-\n  b: c\n".replace("b:", "b|:", 1).replace("|-", ">-")),
    )
    assert found[0]["path"] == ["spec", "users", 0, "role"]
    assert found[1] is None
    assert found[2] is None


def test_the_kind_of_the_document() -> None:
    text = 'apiVersion: v1\nkind: Pod # one\nspec:\n  kind: No\n---\napiVersion: "apps/v1"\nkind: Deployment\n|'
    assert ask(("kind", text), ("kind", "apiVersion: v1\n|kind: Pod")) == [
        {"apiVersion": "apps/v1", "kind": "Deployment"},
        {"apiVersion": "v1", "kind": "Pod"},
    ]


def test_where_a_new_line_begins() -> None:
    lines = {
        "spec:": 2,
        "  a: 1": 2,
        "  - name: x": 4,
        "  - name:": 6,
        "  - x": 2,
        "  text: |-": 4,
        "    ": 4,
        "- - a: 1": 4,
        "  - ": 4,
        "  key: # c": 4,
        "# c": 0,
    }
    assert ask(*(("enter", line) for line in lines)) == list(lines.values())


GOOD = "kind: X\nmetadata: {name: a, labels: {a: b}}\nspec:\n  engine: redis\n  users: []\n"


@pytest.mark.parametrize(
    ("text", "line", "part", "message"),
    [
        (f"{GOOD}  replicas: many\n", 6, "many", "must be integer"),
        (f"{GOOD}  replicas: '1'\n", 6, "'1'", "must be integer"),
        (f"{GOOD}  replicas: 12\n", 6, "12", "1 – 9"),
        (f"{GOOD}  engine2: x\n", 6, "engine2", "unknown"),
        (GOOD.replace("redis", "oracle"), 4, "oracle", "one of"),
        (GOOD.replace("redis", "on"), 4, "on", "must be string"),
        (GOOD.replace("  engine: redis\n", ""), 3, "spec", "“engine” missing"),
        (f"{GOOD}  debug: 1\n", 6, "1", "must be boolean"),
        (f"{GOOD}  config: {{a: 1}}\n", 6, "1", "must be string"),
        (f"{GOOD}  tags: x\n", 6, "x", "must be array"),
        (f"{GOOD}  port: [1]\n", 6, "[1]", "must be"),
        (f"{GOOD}  users2:\n  - a\n", 6, "users2", "unknown"),
        (f"{GOOD}what: 1\n", 6, "what", "unknown"),
        ("kind: X\n", 1, "kind", "“spec” missing"),
        (f"{GOOD}  debug: true\n  debug: false\n", 7, "debug", "unique"),
        (f"{GOOD}  backup: {{at: [}}\n", 6, "}", ""),
    ],
)
def test_what_is_wrong_and_where(text: str, line: int, part: str, message: str) -> None:
    (found,) = ask(("check", text))
    assert found, "nothing was found"
    assert (found[0][0], found[0][1][: len(part)]) == (line, part)
    assert message in found[0][2]


def test_nothing_is_said_of_what_the_cluster_takes() -> None:
    good = [
        GOOD,
        f"{GOOD}  replicas: 0o7\n  port: http\n  ratio: 1\n  debug: off\n  free: {{a: [1]}}\n  backup: null\n",
        f"{GOOD}  port: 80\n  ratio: 1e3\n  config: {{a: '1', b: 12:30, c: 2020-01-01}}\n  tags: [a, 'b']\n",
        "kind: X\nspec:\n  engine: 'on'\n  users:\n  - &u {name: a, role: reader}\n  - *u\n",
    ]
    assert ask(*(("check", text) for text in good)) == [[]] * len(good)


def test_scalars_are_what_the_server_takes_them_for() -> None:
    text = "a: y\nb: 0o17\nc: 1e3\nd: 12:30\ne: 2020-01-01\nf: ~\ng: '1'\nh: 1.5\ni: No\nj:\nk: .5\n"
    types = [item["type"] for item in ask(("scalars", text))[0]]
    assert types == [
        "boolean",
        "integer",
        "integer",
        "string",
        "string",
        "null",
        "string",
        "number",
        "boolean",
        "null",
        "number",
    ]
