// schema.js, check.js, complete.js and describe.js: what a schema says of a place, of values, and what is offered there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../page.js";
import { faults, read, scalarOf } from "../../../static/js/editor/check.js";
import { child, intOrString, nodeAt, open, properties, resolve, typeOf, typeWords } from "../../../static/js/editor/schema.js";

const ROOT = {
  type: "object",
  required: ["spec"],
  properties: {
    spec: {
      type: "object",
      required: ["selector", "template"],
      properties: {
        replicas: { type: "integer", format: "int32", default: 1, minimum: 0, maximum: 100 },
        selector: { $ref: "#/components/schemas/Selector", description: "which" },
        template: { allOf: [{ $ref: "#/components/schemas/Template" }], default: {} },
        strategy: { type: "string", enum: ["Recreate", "Rolling", "on", null] },
        paused: { type: "boolean" },
        ports: { type: "array", items: { type: "object", required: ["port"], properties: { port: { type: "integer" }, name: { type: "string" } } } },
        labels: { type: "object", additionalProperties: { type: "string" } },
        target: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
        ratio: { type: "number" },
        any: { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { a: { type: "string" } } },
      },
      oneOf: [{ properties: { extra: { type: "string" } } }],
    },
    status: { type: "object" },
  },
  components: {
    Selector: { type: "object", properties: { matchLabels: { type: "object", additionalProperties: { type: "string" } } } },
    Template: { type: "object", required: ["name"], properties: { name: { type: "string" }, again: { $ref: "#/components/schemas/Template" } } },
    Endless: { $ref: "#/components/schemas/Endless" },
  },
};
const at = (...path) => nodeAt(ROOT, path);

test("references are followed, one at a time and not for ever", () => {
  assert.equal(at("spec", "selector").type, "object");
  assert.equal(at("spec", "selector").description, "which");
  assert.equal(at("spec", "template", "again", "again", "name").type, "string");
  assert.deepEqual(at("spec", "template").default, {});
  assert.deepEqual(resolve(ROOT, { $ref: "#/components/schemas/Endless" }), {});
  assert.deepEqual(resolve(ROOT, { $ref: "#/components/schemas/None" }), {});
});

test("a path leads over properties, items, keys and branches; of what is unknown nothing is said", () => {
  assert.equal(at("spec", "ports", 3, "port").type, "integer");
  assert.equal(at("spec", "labels", "any.key").type, "string");
  assert.equal(at("spec", "extra").type, "string");
  assert.deepEqual(at("spec", "nowhere", "deep"), {});
  assert.equal(at("metadata", "labels", "x").type, "string");
  assert.equal(at("apiVersion").type, "string");
  assert.deepEqual(child(ROOT, undefined, "x"), {});
  assert.ok("extra" in properties(ROOT, at("spec")));
});

test("types in words", () => {
  assert.equal(typeWords(ROOT, at("spec", "ports")), "[]object");
  assert.equal(typeWords(ROOT, at("spec", "labels")), "map[string]string");
  assert.equal(typeWords(ROOT, at("spec", "replicas")), "integer (int32)");
  assert.equal(typeWords(ROOT, at("spec", "target")), "int-or-string");
  assert.equal(typeWords(ROOT, { type: "array", items: {} }), "[]any");
  assert.equal(typeOf({ items: {} }), "array");
  assert.equal(typeOf({ properties: {} }), "object");
  assert.equal(typeOf({}), "");
  assert.ok(intOrString({ format: "int-or-string" }) && !intOrString(undefined));
});

test("whether there may be other keys", () => {
  assert.ok(!open(at("spec", "template")));
  assert.ok(open({}) && open(at("spec", "any")) && open(at("spec", "labels")) && open(at("spec")));
});

// What is wrong.

const WORDS = { unknown: "is unknown", type: "must be", missing: "is missing", oneOf: "must be one of", required: "required", default: "default", immutable: "immutable" };
function said(text) {
  const [one] = read(text);
  return faults(one.contents, ROOT, WORDS).map(({ message, from, to }) => [message, text.slice(from, to)]);
}
const HEAD = "apiVersion: v1\nkind: X\nmetadata: {name: x}\n";
const GOOD = `${HEAD}spec:\n  selector: {}\n  template: {name: a}\n`;

test("a good text has no faults", () => {
  assert.deepEqual(said(`${GOOD}  replicas: 3\n  paused: yes\n  target: 80\n  ratio: 1\n  labels: {a: b}\n  strategy: Rolling\n  any: {b: 1}\n  ports: [{port: 1}]\n`), []);
  assert.deepEqual(said(`${GOOD}  replicas:\n  target: http\n`), []);
});

test("unknown fields, wrong types and what is missing are said where they are", () => {
  assert.deepEqual(said(`${GOOD}  template2: 1\n`), []);
  assert.deepEqual(said(`${GOOD.replace("name: a", "name: a, nme: b")}`), [["“nme” is unknown", "nme"]]);
  assert.deepEqual(said(`${GOOD}  replicas: many\n`), [["“replicas” must be integer", "many"]]);
  assert.deepEqual(said(`${GOOD}  paused: 1\n`), [["“paused” must be boolean", "1"]]);
  assert.deepEqual(said(`${GOOD}  ports: x\n`), [["“ports” must be array", "x"]]);
  assert.deepEqual(said(`${GOOD}  ports: {a: b}\n`), [["“ports” must be array", "{a: b}"]]);
  assert.deepEqual(said(`${GOOD}  labels: [a]\n`).map(([text]) => text), ["“labels” must be object"]);
  assert.deepEqual(said(`${GOOD}  labels: {a: 1}\n`), [["“a” must be string", "1"]]);
  assert.deepEqual(said(`${GOOD}  ports:\n  - name: x\n`), [["“port” is missing", "name"]]);
  assert.deepEqual(said(`${GOOD}  target: 1.5\n`), [["“target” must be integer / string", "1.5"]]);
  assert.deepEqual(said(`${HEAD}spec:\n  template: {}\n`), [["“name” is missing", "template"], ["“selector” is missing", "spec"]]);
  // What has a default is not missed.
  assert.deepEqual(said(`${HEAD}spec:\n  selector: {}\n`), []);
  assert.deepEqual(said(HEAD), [["“spec” is missing", "apiVersion"]]);
  assert.deepEqual(said(`${GOOD}extra: 1\n`), [["“extra” is unknown", "extra"]]);
});

test("bounds and choices", () => {
  assert.deepEqual(said(`${GOOD}  replicas: 101\n`), [["“replicas” must be 0 – 100", "101"]]);
  assert.deepEqual(said(`${GOOD}  replicas: -1\n`), [["“replicas” must be 0 – 100", "-1"]]);
  assert.deepEqual(said(`${GOOD}  replicas: 100\n`), []);
  assert.deepEqual(said(`${GOOD}  strategy: Other\n`), [['“strategy” must be one of "Recreate", "Rolling", "on", null', "Other"]]);
});

test("aliases, merged keys and texts without a schema are left to the server", () => {
  assert.deepEqual(said(`${HEAD}spec: &a\n  selector: {}\n  template: {name: a}\n  labels: *a\n`), []);
  assert.deepEqual(said(`${GOOD.replace("{name: a}", "{<<: x}")}`), []);
  assert.deepEqual(faults(read("[1]")[0].contents, ROOT, WORDS), []);
  assert.deepEqual(faults(read(GOOD)[0].contents, null, WORDS), []);
});

test("scalars are what kubectl takes them for", () => {
  const of = (text) => { const { type, value } = scalarOf(read(`a: ${text}\n`)[0].contents.items[0].value); return [type, value]; };
  for (const [text, type, value] of [
    ["yes", "boolean", true], ["off", "boolean", false], ["~", "null", null], ["Null", "null", null], ["1_000", "integer", 1000], ["-7", "integer", -7], ["1.5", "number", 1.5], ["1e3", "integer", 1000], [".5", "number", 0.5],
    ['"1"', "string", "1"], ["'yes'", "string", "yes"], ["!!str 1", "string", "1"], ["1.2.3", "string", "1.2.3"], ["yess", "string", "yess"],
  ]) assert.deepEqual(of(text), [type, value], text);
  assert.deepEqual([of("0x1F")[0], of("017")[0], of("0b11")[0], of("12:30")[0]], ["integer", "integer", "integer", "string"]);
});

test("documents are read one by one, each with the errors of its YAML at their place", () => {
  const text = "kind: A\napiVersion: v1\n---\nkind: B\na: [1\n";
  const [first, second] = read(text);
  assert.deepEqual(first.kind, { apiVersion: "v1", kind: "A" });
  assert.deepEqual(first.errors, []);
  assert.equal(second.kind.kind, "B");
  assert.ok(second.errors.length && second.errors.every(({ from, to }) => to > from && from >= text.indexOf("kind: B")));
  assert.equal(read("a: 1\na: 2\n")[0].errors.length, 1);
  assert.deepEqual(read(""), []);
});

// What is offered.

test("keys are offered with what they must have below them, those that are there are not", async () => {
  const { module: { body, options } } = await page("", "editor/complete.js");
  const place = (path, more = {}) => ({ what: "key", path, word: "", dashed: false, keys: new Set(), ...more });
  const found = options(ROOT, place(["spec"], { keys: new Set(["replicas"]) }));
  const by = Object.fromEntries(found.map((one) => [one.label, one]));
  assert.ok(!("replicas" in by) && "extra" in by);
  assert.deepEqual(found.filter((one) => one.required).map((one) => one.label).sort(), ["selector", "template"]);
  assert.equal(by.template.template, "template:\n\tname: ${}");
  assert.equal(by.template.detail, "object");
  assert.equal(by.labels.template, "labels:\n\t${}");
  assert.equal(by.strategy.template, "strategy: ${}");
  assert.equal(by.ports.template, "ports:\n\t- port: ${}");
  assert.equal(body(ROOT, at("spec", "replicas"), 1), " ${1}");
  assert.ok(!options(ROOT, place([])).some((one) => one.label === "status"));
  // Below a list without a dash, items begin with one.
  const items = options(ROOT, place(["spec", "ports"]));
  assert.deepEqual(items.map((one) => one.template), ["- port: ${}", "- name: ${}"]);
  assert.deepEqual(options(ROOT, place(["spec", "ports", 0], { dashed: true })).map((one) => one.label), ["port", "name"]);
});

test("values are offered: choices, yes and no, the default, and kinds of the cluster", async () => {
  const { module: { options, written } } = await page("", "editor/complete.js");
  const value = (path, kinds) => options(ROOT, { what: "value", path, word: "", keys: new Set() }, kinds).map((one) => one.label);
  assert.deepEqual(value(["spec", "strategy"]), ["Recreate", "Rolling", '"on"']);
  assert.deepEqual(value(["spec", "paused"]), ["true", "false"]);
  assert.deepEqual(value(["spec", "replicas"]), ["1"]);
  assert.deepEqual(value(["spec", "ratio"]), []);
  assert.deepEqual(value(["kind"], [["v1", "Pod"], ["v1", "Service"]]), ["Pod", "Service"]);
  assert.deepEqual(value(["apiVersion"], [["v1", "Pod"], ["v1", "Service"]]), ["v1"]);
  assert.deepEqual(["yes", "a b", "1", "plain", "/x", ""].map(written), ['"yes"', '"a b"', '"1"', "plain", "/x", '""']);
  assert.equal(written(5), "5");
});

test("a field in words, made of elements", async () => {
  const { module: { describe, limits } } = await page("", "editor/describe.js");
  assert.deepEqual(limits({ enum: ["a"], minimum: 0, maximum: 5, pattern: "^x", default: "a", immutable: true }, WORDS), ['must be one of "a"', "≥ 0", "≤ 5", "^x", 'default "a"', "immutable"]);
  const box = describe(ROOT, { type: "string", description: "First <b>.\n\nSecond." }, "spec.x", WORDS, true);
  assert.equal(box.querySelector("b"), null);
  assert.deepEqual([...box.querySelectorAll("p")].map((one) => one.textContent), ["spec.xstringrequired", "First <b>.", "Second."]);
});

test("a schema is fetched once; one that did not come is asked for again", async () => {
  const asked = [];
  let answer = { status: 503 };
  const { pageOf } = await import("../page.js");
  const { module: { Schemas } } = await pageOf({ answer: (request) => { asked.push(request.url); if (answer === "broken") throw new Error("away"); return answer; } }, "editor/schema.js");
  const schemas = new Schemas("/schemas/");
  assert.equal(await schemas.get({ apiVersion: "", kind: "X" }), null);
  const kind = { apiVersion: "v1", kind: "X" };
  answer = "broken";
  assert.equal(await schemas.get(kind), null);
  answer = { json: { type: "object" } };
  assert.deepEqual(await Promise.all([schemas.get(kind), schemas.get(kind)]), [{ type: "object" }, { type: "object" }]);
  assert.equal(asked.length, 2);
  assert.match(asked[0], /\/schemas\/\?apiVersion=v1&kind=X$/);
  answer = { status: 404 };
  assert.equal(await schemas.get({ apiVersion: "v1", kind: "None" }), null);
});
