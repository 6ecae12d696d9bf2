// Names of controls: pointers, and the ids made from them as resources/forms/paths.py makes them.

/** As paths.element_id: what needs no escape in a fragment stays, "%" becomes "!". */
export function idOf(pointer) {
  const escaped = encodeURIComponent(pointer.replaceAll("/", ".")).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return `f${escaped.replaceAll("%40", "@").replaceAll("%", "!")}`;
}

const under = (text, prefix, ends) => text === prefix || (text.startsWith(prefix) && ends.includes(text[prefix.length]));

function renamed(attribute, text, from, to) {
  if (attribute === "data-depends") return JSON.stringify(JSON.parse(text).map(([pointer, ...rest]) => [under(pointer, from, "/") ? to + pointer.slice(from.length) : pointer, ...rest]));
  const mark = /^[a-z]:/.test(text) ? text.slice(0, 2) : "";
  const pointer = text.slice(mark.length);
  if (under(pointer, from, "/")) return mark + to + pointer.slice(from.length);
  const [was, becomes] = [idOf(from), idOf(to)];
  return text.split(" ").map((word) => (under(word, was, ".-") ? becomes + word.slice(was.length) : word)).join(" ");
}

const ATTRIBUTES = ["name", "id", "for", "list", "data-pointer", "data-choices", "data-depends", "data-file", "aria-labelledby", "aria-describedby", "aria-controls"];

/** Everything in `root` that is named under `from` is named under `to`. */
export function rename(root, from, to) {
  for (const element of [root, ...root.querySelectorAll("*")]) {
    for (const attribute of ATTRIBUTES) {
      const text = element.getAttribute(attribute);
      if (text) element.setAttribute(attribute, renamed(attribute, text, from, to));
    }
    if (element.matches("button[name^='~']")) element.value = renamed("value", element.value, from, to);
  }
}

/** The control that holds the text of a pointer: the checked radio, or the one control. */
export function controlOf(form, pointer) {
  for (const mark of "sinbqjyd") {
    const found = form.querySelectorAll(`[name="${CSS.escape(`${mark}:${pointer}`)}"]`);
    if (found.length) return [...found].find((one) => one.checked) ?? found[0];
  }
  return null;
}
