// place.js and typing.js: where in an object a place of its YAML is, in a text that is not finished.
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentAt, fieldAt, indentOf, kindAt, parts, placeAt, unquoted } from "../../../static/js/editor/place.js";

// `|` is the cursor.
function at(text) {
  const lines = text.split("\n");
  const row = lines.findIndex((line) => line.includes("|"));
  const column = lines[row].indexOf("|");
  lines[row] = lines[row].replace("|", "");
  return placeAt(lines, row, column);
}
const key = (text) => { const { what, path, word, keys } = at(text); assert.equal(what, "key", text); return [path, word, [...keys].sort()]; };
const value = (text) => { const { what, path, word } = at(text); assert.equal(what, "value", text); return [path, word]; };

test("a line is taken apart: dashes, key and what follows", () => {
  assert.deepEqual(parts("  - - name: x"), { dashes: [2, 4], column: 6, rest: "name: x", key: "name", after: 11 });
  assert.deepEqual([parts('  "a: b": c').key, parts("'it''s': c").key, parts("-x: 1").key, parts("http://x").key, parts("a:b").key], ["a: b", "it's", "-x", null, null]);
  assert.deepEqual(parts("  -").dashes, [2]);
  assert.equal(indentOf("   x"), 3);
  assert.equal(unquoted('"a\\"b"'), 'a"b');
});

test("a key stands below the key that it is indented under", () => {
  assert.deepEqual(key("spec:\n  |"), [["spec"], "", []]);
  assert.deepEqual(key("spec:\n  a: 1\n  re|\n  b: 2"), [["spec"], "re", ["a", "b"]]);
  assert.deepEqual(key("spec:\n  a:\n    x: 1\n|"), [[], "", ["spec"]]);
  assert.deepEqual(key("spec:\n  a:\n    x: 1\n  |"), [["spec"], "", ["a"]]);
  assert.deepEqual(key("# spec:\n\nspec:\n  # a\n  |"), [["spec"], "", []]);
});

test("items are counted, whether their dash is indented or not", () => {
  assert.deepEqual(key("a:\n  - x: 1\n  - y: 2\n    |"), [["a", 1], "", ["y"]]);
  assert.deepEqual(key("a:\n- x: 1\n- y: 2\n  |"), [["a", 1], "", ["y"]]);
  assert.deepEqual(key("a:\n- x: 1\n- |"), [["a", 1], "", []]);
  assert.deepEqual(key("a:\n- x: 1\n- b|\n  c: 1"), [["a", 1], "b", ["c"]]);
  assert.deepEqual(key("a:\n- x: 1\nb:\n- |"), [["b", 0], "", []]);
  assert.equal(at("a:\n- |").dashed, true);
  assert.equal(at("a:\n  |").dashed, false);
  assert.deepEqual(value("a:\n- - b: |"), [["a", 0, 0, "b"], ""]);
});

test("a value belongs to its key", () => {
  assert.deepEqual(value("spec:\n  type: Roll|"), [["spec", "type"], "Roll"]);
  assert.deepEqual(value("kind: |"), [["kind"], ""]);
  assert.equal(at("kind:|").close, true);
  assert.equal(at("kind: |").close, false);
  assert.equal(at("kind: De|").from, 6);
});

test("nothing is said in text blocks, flow collections, comments and between documents", () => {
  for (const text of ["a: |x", "a: # no|", "a: [1, |", "a: {b: |", "---|"]) if (!text.includes("|x")) assert.equal(at(text), null, text);
  const lines = (text) => text.split("\n");
  assert.equal(placeAt(lines("a: |\n  some text\nb: 1"), 1, 6), null);
  assert.equal(placeAt(lines("a:\n  - >-\n    folded\n"), 2, 8), null);
  assert.equal(placeAt(lines("a: |\n  some text\nb"), 2, 1).what, "key");
  assert.deepEqual(placeAt(lines("a: |\n  text\n\nspec:\n  x"), 4, 3).path, ["spec"]);
});

test("documents are apart", () => {
  const lines = "apiVersion: v1\nkind: Pod\n---\nkind: \"Service\" # it\napiVersion: v2\nspec:\n  kind: No\n...\n".split("\n");
  assert.deepEqual(documentAt(lines, 1), [0, 2]);
  assert.deepEqual(documentAt(lines, 4), [3, 7]);
  assert.deepEqual(kindAt(lines, 0), { apiVersion: "v1", kind: "Pod" });
  assert.deepEqual(kindAt(lines, 5), { apiVersion: "v2", kind: "Service" });
  assert.deepEqual(kindAt(["a: 1"], 0), { apiVersion: "", kind: "" });
  assert.deepEqual(placeAt(["spec:", "  a: 1", "---", "  "], 3, 2).path, []);
});

test("the field that a line is about", () => {
  const lines = "spec:\n  list:\n  - name: x\n    args: 1\n  - plain\n# no\n  text: |\n    in: it".split("\n");
  const path = (row) => fieldAt(lines, row)?.path ?? null;
  assert.deepEqual(path(0), ["spec"]);
  assert.deepEqual(path(2), ["spec", "list", 0, "name"]);
  assert.deepEqual(path(3), ["spec", "list", 0, "args"]);
  assert.deepEqual(path(4), ["spec", "list", 1]);
  assert.equal(path(5), null);
  assert.equal(path(7), null);
  assert.equal(fieldAt(["a: |", "  b: 1", "  c: 2"], 2), null);
  assert.deepEqual([fieldAt(lines, 3).from, fieldAt(lines, 3).to], [4, 9]);
});

test("the column of the line that Enter makes", async () => {
  const { columnAfter } = await import("../../../static/js/editor/typing.js");
  for (const [line, column] of [
    ["spec:", 2], ["  spec:", 4], ["  spec: # why", 4], ["spec: x", 0], ["  - name: x", 4], ["  - name:", 6], ["- x", 0], ["  - x", 2], ["    text", 4], ["a: |", 2], ["  a: >-", 4], ["  # note:", 2], ["   ", 3],
    ["url: http://x:", 2],
  ]) assert.equal(columnAfter(line), column, line);
  assert.equal(columnAfter("spec:", 4), 4);
});
