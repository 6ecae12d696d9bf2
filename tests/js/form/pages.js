// A form as the server draws it (tests/js/forms.py), with the scripts of its page, and a server that draws its parts.
import { existsSync, readFileSync } from "node:fs";
import { pageOf, pass } from "../page.js";

// A line break right after the tag is not of the text, as browsers read it and happy-dom does not.
const drawn = (html) => html.replaceAll(/(<textarea[^>]*>)\r?\n/g, "$1");
const PLACE = new URL("../../../.data/form-pages/", import.meta.url);

export async function form(name, { more = () => undefined, ...options } = {}) {
  const file = new URL(`${name}.json`, PLACE);
  if (!existsSync(file)) throw new Error("the forms are not drawn yet: .venv/bin/python -m pytest tests/js draws them");
  const { html, parts, problems } = JSON.parse(readFileSync(file, "utf8"));
  const asked = [];
  const answer = (request) => {
    const known = more(request);
    if (known) return known;
    const data = new Map(request.body);
    asked.push(data);
    const pointer = data.get("~pointer");
    const plain = parts[pointer] ? pointer : pointer.replaceAll(/@n\d+/g, "@n0");
    if (!parts[plain]) return { status: 404, text: pointer };
    // Every new item has a number of its own.
    const numbers = pointer.match(/@n\d+/g) ?? [];
    const inside = numbers.length > 1 ? parts[plain].replaceAll(/@n0([/.])(\w+)\1@n0/g, (_, dot, list) => `${numbers[0]}${dot}${list}${dot}${numbers[1]}`) : parts[plain];
    return { text: drawn(inside.replaceAll("@n0", numbers[0] ?? "@n0")) };
  };
  const shown = await pageOf({ html: `<main id="main">${drawn(html)}</main>`, head: '<meta name="csrf-token" content="token">', answer, ...options }, "form.js");
  const { document } = shown;
  const named = (control) => document.querySelector(`[name="${CSS.escape(control)}"]`);
  return {
    ...shown, named, asked, problems,
    box: (pointer) => document.querySelector(`#form [data-pointer="${CSS.escape(pointer)}"]`),
    items: (pointer) => [...document.querySelector(`[data-pointer="${CSS.escape(pointer)}"] > .console-items`).children],
    sent: () => [...new FormData(document.getElementById("form"))].filter(([key, value]) => !/^(~|csrf)/.test(key) && typeof value === "string"),
    dirty: () => "dirty" in document.getElementById("form").dataset,
    async press(button) { button.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true })); await pass(60); },
    async fill(control, text) {
      const found = named(control);
      found.focus();
      found.value = text;
      found.dispatchEvent(new Event("input", { bubbles: true }));
      found.dispatchEvent(new Event("change", { bubbles: true }));
      await pass(0);
    },
    async leave(control) { named(control).dispatchEvent(new window.FocusEvent("focusout", { bubbles: true })); await pass(0); },
    said: (control) => document.getElementById(`${named(control).id}-v`)?.textContent.trim() ?? null,
    announced: () => document.querySelector("[data-announce]").textContent,
  };
}
