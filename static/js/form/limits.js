// What a schema limits, held against typed text as the API server holds it, and said in its words. Everything here is exact or not said:
// whole numbers are BigInts, lengths count characters, patterns are matched by RE2, in linear time: a schema's author can't hang the page.

const WHOLE = /^[+-]?\d+$/;
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
const BITS = { int32: 32n };
const patterns = new Map();
let RE2 = null;

/** RE2 comes when a field with a pattern is entered, for the forms that have one. */
export async function load() {
  ({ RE2JS: RE2 } = await import("re2js"));
}

/** Whether this field's pattern can't be judged yet. */
export const waits = (control) => !RE2 && Boolean(control.dataset.check?.includes('"pattern"'));

/** Whether the pattern is found in the text; true where that can't be told here: the server will say. */
function found(source, text) {
  if (!RE2) return true;
  if (!patterns.has(source)) {
    let made = null;
    try { made = RE2.compile(source); } catch { /* newer syntax than this one's */ }
    patterns.set(source, made);
  }
  return patterns.get(source)?.test(text) ?? true;
}

const quoted = (text) => JSON.stringify(text);

function bounds(limits, where, shown, beyond) {
  const said = [];
  for (const [name, word, end] of [["min", "greater", "Exclusive"], ["max", "less", "Exclusive"]]) {
    if (!(name in limits)) continue;
    const exclusive = limits[name + end] === true;
    if (beyond(name, limits[name], exclusive)) said.push(`Invalid value: ${shown}: ${where} in body should be ${word} than ${exclusive ? "" : "or equal to "}${limits[name]}`);
  }
  return said;
}

function whole(text, limits, where) {
  const value = BigInt(text.replace("+", ""));
  const half = 2n ** ((BITS[limits.format] ?? 64n) - 1n);
  const said = [];
  if (value < -half || value >= half) said.push(`Invalid value: "": Checked value must be of type integer with format ${limits.format ?? "int64"} in ${where}`);
  if (WHOLE.test(limits.multipleOf ?? "") && value % BigInt(limits.multipleOf)) said.push(`Invalid value: ${value}: ${where} in body should be a multiple of ${limits.multipleOf}`);
  return [...said, ...bounds(limits, where, value, (name, limit, exclusive) => {
    const edge = BigInt(limit);
    return name === "min" ? value < edge || (exclusive && value === edge) : value > edge || (exclusive && value === edge);
  })];
}

function decimal(text, limits, where) {
  const value = Number(text);
  return bounds(limits, where, value, (name, limit, exclusive) => {
    const edge = Number(limit);
    return name === "min" ? value < edge || (exclusive && value === edge) : value > edge || (exclusive && value === edge);
  });
}

const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const NAME_RULE = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'";

/** What was probably meant by a text that is no name of an object: "Argo_CD" → "argo-cd"; "" where nothing is left of it. */
export function properName(text) {
  const made = text.trim().toLowerCase().replace(/[^a-z0-9.]+/g, "-").replace(/-*\.+-*/g, ".").replace(/^[-.]+|[-.]+$/g, "");
  return made.length <= 253 ? made : "";
}

function letters(text, limits, where) {
  const length = [...text].length;
  if (limits.maxLength !== undefined && length > limits.maxLength) return [`Too long: may not be more than ${limits.maxLength} ${limits.maxLength === 1 ? "byte" : "bytes"}`];
  if (limits.minLength && length < limits.minLength) return [`Invalid value: ${quoted(text)}: ${where} in body should be at least ${limits.minLength} chars long`];
  if (limits.name && !NAME.test(text)) return [`Invalid value: ${quoted(text)}: ${NAME_RULE}`];
  if (limits.pattern && !found(limits.pattern, text)) return [`Invalid value: ${quoted(text)}: ${where} in body should match '${limits.pattern}'`];
  return [];
}

/** A sentence of the API server in the reader's words; `rules` are resources/views/form_page.py's. */
export function plain(sentence, rules) {
  for (const [source, words] of rules) {
    const found = new RegExp(source).exec(sentence);
    if (found) return words.replace("%(limit)s", () => found.groups?.limit ?? "");
  }
  return sentence;
}

/** What is wrong with the text of a control of this mark (i, n, q, s: parse.py's docstring); `words` are for what can't be read at all. */
export function wrong(mark, text, limits, where, words) {
  const trimmed = text.trim();
  if (mark === "i") return WHOLE.test(trimmed) ? whole(trimmed, limits, where) : [words.integer];
  if (mark === "n") return DECIMAL.test(trimmed) ? decimal(trimmed, limits, where) : [words.number];
  const plain = text.replace(/\r\n?/g, "\n");
  if (mark === "q") {
    if (/^-?(0|[1-9]\d{0,17})$/.test(plain)) return whole(plain, limits, where);
    return plain.startsWith('"') ? [] : letters(plain, limits, where);
  }
  return mark === "s" ? letters(plain, limits, where) : [];
}
