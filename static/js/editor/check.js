// What is wrong with a text: its YAML, and what its schema says to the values. Values are what kubectl takes them for (resources/yamltext.py).
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseAllDocuments } from "yaml";
import { child, intOrString, open, properties, typeOf } from "./schema.js";

const INTEGER = /^[-+]?(0[bB][01_]+|0[oO]?[0-7_]*|0[xX][0-9a-fA-F_]+|[0-9][0-9_]*)$/;
const NUMBER = /^[-+]?(\.[0-9][0-9_]*|[0-9][0-9_]*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?$/;
const TRUE = /^(y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const FALSE = /^(n|N|no|No|NO|false|False|FALSE|off|Off|OFF)$/;
const NULL = /^(~|null|Null|NULL|)$/;

// {type, value} of a scalar.
export function scalarOf(node) {
  const text = String(node.value ?? "");
  if ((node.type && node.type !== "PLAIN") || node.tag === "tag:yaml.org,2002:str") return { type: "string", value: text };
  if (NULL.test(text)) return { type: "null", value: null };
  if (TRUE.test(text) || FALSE.test(text)) return { type: "boolean", value: TRUE.test(text) };
  if (INTEGER.test(text)) return { type: "integer", value: Number(text.replaceAll("_", "")) };
  if (NUMBER.test(text)) return { type: /[.]/.test(text) || !Number.isInteger(Number(text)) ? "number" : "integer", value: Number(text.replaceAll("_", "")) };
  return { type: "string", value: text };
}

const keyOf = (pair) => String(pair.key?.value ?? pair.key ?? "");

class Walk {
  constructor(root, words) { this.root = root; this.words = words; this.found = []; }

  say(range, text, severity = "error") {
    if (range) this.found.push({ from: range[0], to: Math.max(range[1], range[0] + 1), severity, message: text });
  }

  // `range` of the value, `key` of what it belongs to.
  value(node, schema, name, range, key = null) {
    if (!node || isAlias(node) || !schema) return;
    const type = typeOf(schema);
    if (isMap(node)) {
      if (type && type !== "object") this.say(node.range && [node.range[0], node.range[1]], `${name} ${this.words.type} ${type}`);
      else this.mapping(node, schema, key ?? node.items[0]?.key?.range ?? range);
    } else if (isSeq(node)) {
      if (type && type !== "array") this.say(range, `${name} ${this.words.type} ${type}`);
      else node.items.forEach((item) => this.value(item, child(this.root, schema, 0), name, item?.range));
    } else if (isScalar(node)) this.scalar(node, schema, type, name, range);
  }

  mapping(node, schema, range) {
    const known = properties(this.root, schema);
    const closed = !open(schema) || schema === this.root;
    const seen = new Set();
    for (const pair of node.items) {
      const name = keyOf(pair);
      if (name === "<<") return;
      seen.add(name);
      const at = pair.key?.range;
      if (closed && !(name in known)) this.say(at, `“${name}” ${this.words.unknown}`);
      else this.value(pair.value, child(this.root, schema, name), `“${name}”`, pair.value?.range?.[1] > pair.value?.range?.[0] ? pair.value.range : at, at);
    }
    for (const name of schema.required ?? []) if (!seen.has(name) && known[name]?.default === undefined) this.say(range, `“${name}” ${this.words.missing}`);
  }

  scalar(node, schema, type, name, range) {
    const { type: found, value } = scalarOf(node);
    const where = node.range?.[1] > node.range?.[0] ? node.range : range;
    if (found === "null" || (!type && !schema.enum)) return;
    const fits = found === type || (type === "number" && found === "integer") || (intOrString(schema) && (found === "integer" || found === "string"));
    if (type && !fits) this.say(where, `${name} ${this.words.type} ${type === "int-or-string" ? "integer / string" : type}`);
    else if (schema.enum && !schema.enum.includes(value)) this.say(where, `${name} ${this.words.oneOf} ${schema.enum.map((one) => JSON.stringify(one)).join(", ")}`);
    else if (typeof value === "number" && ((schema.minimum !== undefined && value < schema.minimum) || (schema.maximum !== undefined && value > schema.maximum))) this.say(where, `${name} ${this.words.type} ${schema.minimum ?? "…"} – ${schema.maximum ?? "…"}`);
  }
}

// The documents of a text, with what is wrong in their YAML: [{kind, contents, errors}].
export function read(text) {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { schema: "failsafe", lineCounter: lines, uniqueKeys: true, logLevel: "silent", prettyErrors: false });
  return (Array.isArray(documents) ? documents : []).map((one) => ({
    kind: { apiVersion: String(one.get?.("apiVersion") ?? ""), kind: String(one.get?.("kind") ?? "") },
    contents: one.contents,
    errors: one.errors.map(({ pos, message }) => ({ from: pos[0], to: Math.max(pos[1], pos[0] + (/^[\w./-]+/.exec(text.slice(pos[0], pos[0] + 200))?.[0].length ?? 1)), severity: "error", message })),
  }));
}

export function faults(contents, root, words) {
  if (!root || !isMap(contents)) return [];
  const walk = new Walk(root, words);
  walk.mapping(contents, root, contents.items[0]?.key?.range);
  return walk.found;
}
