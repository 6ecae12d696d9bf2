// A kind's schema as the server trims it, and the way through it. References are followed one at a time: schemas refer to themselves.

const EMPTY = {};
const META = Object.fromEntries([["name", "string"], ["generateName", "string"], ["namespace", "string"]].map(([name, type]) => [name, { type }]));
META.labels = META.annotations = { type: "object", additionalProperties: { type: "string" } };
META.finalizers = { type: "array", items: { type: "string" } };

export function resolve(root, node) {
  let found = node;
  for (let turn = 0; turn < 8 && found; turn += 1) {
    if (found.$ref) {
      const { $ref, ...own } = found;
      found = { ...root.components?.[$ref.split("/").at(-1)], ...own };
    } else if (found.allOf?.length === 1 && found.allOf[0].$ref) {
      const { allOf, ...own } = found;
      found = { ...resolve(root, allOf[0]), ...own };
    } else return found;
  }
  return EMPTY;
}

// Every property by its name, those of branches too.
export function properties(root, node, depth = 0) {
  let found = { ...node?.properties };
  if (node === root) found = { apiVersion: { type: "string" }, kind: { type: "string" }, ...found, metadata: resolve(root, found.metadata)?.properties ? found.metadata : { type: "object", properties: META } };
  if (depth < 3) for (const union of ["allOf", "anyOf", "oneOf"]) for (const branch of node?.[union] ?? []) found = { ...properties(root, resolve(root, branch), depth + 1), ...found };
  return found;
}

export function child(root, node, step) {
  if (typeof step === "number") return resolve(root, node?.items) ?? EMPTY;
  const found = properties(root, node)[step];
  if (found) return resolve(root, found);
  return typeof node?.additionalProperties === "object" ? resolve(root, node.additionalProperties) : EMPTY;
}

export const nodeAt = (root, path) => path.reduce((node, step) => child(root, node, step), root);

// Whether a mapping may have keys that are not among its properties.
export const open = (node) => !node?.properties || Boolean(node.additionalProperties) || Boolean(node["x-kubernetes-preserve-unknown-fields"]) || Boolean(node["x-kubernetes-embedded-resource"]) || ["allOf", "anyOf", "oneOf"].some((union) => node[union]?.some((branch) => branch.properties || branch.$ref));

export const intOrString = (node) => Boolean(node?.["x-kubernetes-int-or-string"]) || node?.format === "int-or-string";

export function typeOf(node) {
  if (intOrString(node)) return "int-or-string";
  if (node?.type === "array" || node?.items) return "array";
  if (node?.type) return node.type;
  return node?.properties || node?.additionalProperties ? "object" : "";
}

// In words, as `kubectl explain` says it.
export function typeWords(root, node) {
  const type = typeOf(node);
  if (type === "array") return `[]${typeWords(root, resolve(root, node.items) ?? EMPTY) || "any"}`;
  if (type === "object" && !node.properties && typeof node.additionalProperties === "object") return `map[string]${typeWords(root, resolve(root, node.additionalProperties)) || "any"}`;
  return node?.format && !intOrString(node) ? `${type} (${node.format})` : type;
}

// Loads each schema once; null where the cluster has none. `wait` false: what is there now, undefined while it is on its way.
export class Schemas {
  constructor(address) { this.address = address; this.found = new Map(); this.ready = new Map(); }

  get(kind) {
    const key = `${kind.apiVersion} ${kind.kind}`;
    if (!kind.apiVersion || !kind.kind) return Promise.resolve(null);
    if (!this.found.has(key)) this.found.set(key, this.load(kind, key));
    return this.found.get(key);
  }

  async load(kind, key) {
    const query = new URLSearchParams(kind);
    try {
      const answer = await fetch(`${this.address}?${query}`, { headers: { Accept: "application/json" } });
      const schema = answer.ok ? await answer.json() : null;
      this.ready.set(key, schema);
      return schema;
    } catch {
      this.found.delete(key);
      return null;
    }
  }
}
