// A field in words: its type, what it must be, what it means. Made of elements, never of HTML in texts.
import { typeWords } from "./schema.js";

const element = (name, className, text) => Object.assign(document.createElement(name), { className, textContent: text });

export function limits(node, words) {
  const found = [];
  if (node.enum) found.push(`${words.oneOf} ${node.enum.map((value) => JSON.stringify(value)).join(", ")}`);
  if (node.minimum !== undefined) found.push(`≥ ${node.minimum}`);
  if (node.maximum !== undefined) found.push(`≤ ${node.maximum}`);
  if (node.pattern) found.push(node.pattern);
  if (node.default !== undefined) found.push(`${words.default} ${JSON.stringify(node.default)}`);
  if (node.immutable) found.push(words.immutable);
  return found;
}

export function describe(root, node, where, words, required = false) {
  const box = element("div", "console-editor-about", "");
  const head = element("p", "pf-v6-l-flex pf-m-gap-sm", "");
  if (where) head.append(element("strong", "pf-v6-u-font-family-monospace", where));
  head.append(element("span", "console-muted", typeWords(root, node)));
  if (required) head.append(element("span", "console-error", words.required));
  box.append(head);
  for (const text of limits(node, words)) box.append(element("p", "console-muted", text));
  for (const paragraph of (node.description ?? "").split(/\n\s*\n/)) if (paragraph.trim()) box.append(element("p", "", paragraph.trim()));
  return box;
}
