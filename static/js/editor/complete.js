// What may stand at the cursor: keys of the schema with those that are required first, values of enumerations, yes and no.
import { autocompletion, snippet, startCompletion } from "@codemirror/autocomplete";
import { describe } from "./describe.js";
import { kindAt, placeAt } from "./place.js";
import { child, nodeAt, properties, resolve, typeOf, typeWords } from "./schema.js";

const PLAIN = /^[A-Za-z/][\w./-]*$/;
const WORDS = /^(y|n|yes|no|true|false|on|off|null)$/i;

// A value as YAML, quoted where it would be taken for something else.
export function written(value) {
  if (typeof value !== "string") return JSON.stringify(value);
  return PLAIN.test(value) && !WORDS.test(value) ? value : JSON.stringify(value);
}

const escaped = (text) => text.replace(/[{}\\]/g, "\\$&");
const hole = (text) => `\${${escaped(text)}}`;

// The text behind "key:", with what it must have below it. `tabs`: how deep it stands.
export function body(root, node, tabs, depth = 0) {
  const type = typeOf(node);
  const line = `\n${"\t".repeat(tabs)}`;
  if (type === "object" && node.properties) {
    const names = depth < 3 ? (node.required ?? []).filter((name) => node.properties[name]) : [];
    return names.length ? names.map((name) => `${line}${escaped(name)}:${body(root, resolve(root, node.properties[name]), tabs + 1, depth + 1)}`).join("") : `${line}${hole("")}`;
  }
  if (type === "object") return `${line}${hole("")}`;
  if (type === "array") return `${line}- ${first(root, resolve(root, node.items) ?? {}, tabs, depth)}`;
  const value = node.default ?? (depth ? node.enum?.[0] : undefined);
  return ` ${hole(value === undefined ? "" : written(value))}`;
}

// The inside of an item, behind its dash.
function first(root, node, tabs, depth) {
  if (typeOf(node) !== "object" || !node.required?.length) return hole("");
  return body(root, node, tabs + 1, depth + 1).trimStart();
}

function ordered(root, node) {
  const required = new Set(node?.required);
  return Object.entries(properties(root, node)).map(([name, below]) => ({ name, node: resolve(root, below), required: required.has(name) }));
}

// Completions for a place (placeAt): plain values, so that they can be looked at without an editor.
export function options(root, place, kinds = []) {
  const node = nodeAt(root ?? {}, place.path);
  if (place.what === "value") return values(node, place, kinds);
  const items = typeOf(node) === "array" && !place.dashed;
  const owner = items ? child(root, node, 0) : node;
  const lead = items ? "- " : "";
  const deeper = items || place.dashed ? 1 : 0;
  const offered = ({ name }) => (items || !place.keys.has(name)) && !(owner === root && name === "status");
  const found = ordered(root ?? {}, owner).filter(offered).map(({ name, node: below, required }) => ({
    label: name, lead, required, detail: typeWords(root, below), node: below, template: `${lead}${escaped(/^[\w./-]+$/.test(name) ? name : JSON.stringify(name))}:${body(root, below, 1 + deeper)}`,
  }));
  return found.length ? found : values(owner, place, kinds).map((one) => ({ ...one, template: `${lead}${one.template}` }));
}

function values(node, place, kinds) {
  const name = place.path.length === 1 ? place.path[0] : "";
  if (kinds.length && (name === "apiVersion" || name === "kind")) {
    const wanted = name === "apiVersion" ? 0 : 1;
    return [...new Set(kinds.map((one) => one[wanted]))].map((value) => ({ label: value, template: escaped(value), node: {} }));
  }
  const type = typeOf(node);
  const found = node?.enum ?? (type === "boolean" ? [true, false] : []);
  const all = node?.default !== undefined && typeof node.default !== "object" && !found.includes(node.default) ? [...found, node.default] : found;
  return all.filter((value) => value !== null).map((value) => ({ label: written(value), template: escaped(written(value)), detail: value === node.default ? "default" : "", node: {} }));
}

const chooses = (one) => one.node.default === undefined && (one.node.enum || one.node.type === "boolean");

// Behind a key whose values are few, they are offered at once.
function apply(template, one, typing) {
  const insert = snippet(template);
  if (!typing || !chooses(one)) return insert;
  return (view, completion, from, to) => {
    insert(view, completion, from, to);
    setTimeout(() => startCompletion(view));
  };
}

const rank = (one, at) => (one.required ? 50 : 0) - at / 1000;

/** `typing`: offered while one types; otherwise only when it is asked for. */
export function completer(schemas, kindsOf, words, typing = true) {
  return autocompletion({
    override: [async (context) => {
      const { doc } = context.state;
      const line = doc.lineAt(context.pos);
      const lines = doc.toString().split("\n");
      const place = placeAt(lines, line.number - 1, context.pos - line.from);
      if (!place || (!context.explicit && !place.word && place.what === "key")) return null;
      const kind = kindAt(lines, line.number - 1);
      const [root, kinds] = await Promise.all([schemas.get(kind), place.path.length < 2 ? kindsOf() : []]);
      const fitting = place.path[0] === "kind" && kind.apiVersion ? kinds.filter((one) => one[0] === kind.apiVersion) : kinds;
      const found = options(root ?? {}, place, fitting);
      if (!found.length) return null;
      return {
        from: line.from + place.from,
        validFor: /^[\w./"-]*$/,
        options: found.map((one, at) => ({
          label: one.label, detail: one.required ? `${one.detail} · ${words.required}` : one.detail, type: place.what === "key" ? "property" : "constant",
          boost: rank(one, at), apply: apply(place.what === "value" && place.close ? ` ${one.template}` : one.template, one, typing),
          info: one.node.description || one.node.default !== undefined ? () => describe(root, one.node, "", words) : undefined,
        })),
      };
    }],
    icons: false,
    activateOnTyping: typing,
  });
}
