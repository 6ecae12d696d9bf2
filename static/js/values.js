// The fields of an object: searched, folded all at once, and each told with its path and what the schema says of it. Without it they are a plain tree.
const region = () => document.getElementById("values");
let query = "";
let chosen = "";

const keys = (root) => [...root.querySelectorAll(".resource-key[data-path]")];

function search() {
  const root = region();
  const bar = root?.querySelector("[data-values-tools]");
  if (!bar) return;
  const words = query.toLowerCase();
  const items = [...root.querySelectorAll(".resource-tree li")];
  for (const item of items) item.toggleAttribute("data-unmatched", Boolean(words));
  let count = 0;
  if (words) {
    for (const item of items) {
      const key = item.querySelector(":scope > .resource-key, :scope > details > summary > .resource-key");
      const value = item.querySelector(":scope > .resource-value, :scope > .resource-text");
      if (!`${key?.textContent ?? ""} ${value?.textContent ?? ""}`.toLowerCase().includes(words)) continue;
      count += 1;
      for (const inside of item.querySelectorAll("li")) inside.removeAttribute("data-unmatched");
      for (let node = item; node && node !== root; node = node.parentElement) {
        if (node.matches("li")) node.removeAttribute("data-unmatched");
        if (node instanceof HTMLDetailsElement) node.open = true;
      }
    }
  }
  const place = bar.querySelector("[data-values-count]");
  const text = words ? `${place.dataset.text} ${count}` : "";
  if (place.textContent !== text) place.textContent = text;
}

function tell(key) {
  const told = region().querySelector("[data-values-told]");
  for (const other of keys(region())) if (other !== key) other.removeAttribute("data-chosen");
  chosen = key?.dataset.path ?? "";
  told.hidden = !key;
  if (!key) return;
  key.setAttribute("data-chosen", "");
  told.querySelector("code").textContent = chosen;
  told.lastElementChild.textContent = key.title;
}

function act(button) {
  const root = region();
  const what = button.dataset.valuesDo;
  if (what === "copy") {
    navigator.clipboard.writeText(chosen).then(() => {
      const text = button.textContent;
      button.textContent = button.dataset.done;
      setTimeout(() => { button.textContent = text; }, 1500);
    });
    return;
  }
  for (const details of root.querySelectorAll(".resource-branch > details")) details.open = what === "open";
}

document.addEventListener("input", ({ target }) => { if (target.id === "values-q") { query = target.value.trim(); search(); } });
document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("[data-values-do]");
  if (button) { act(button); return; }
  const key = target.closest?.("#values .resource-key[data-path]");
  if (key) tell(key);
});
document.addEventListener("focusin", ({ target }) => {
  if (target.matches?.("#values summary")) { const key = target.querySelector(".resource-key[data-path]"); if (key) tell(key); }
});
// Arrow keys walk from a branch to the fields that are in sight.
document.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const here = event.target.closest?.("#values .resource-branch > details > summary, #values .resource-key");
  if (!step || !here || event.target.matches("input")) return;
  const seen = keys(region()).filter((key) => key.checkVisibility());
  const at = seen.indexOf(here.matches(".resource-key") ? here : here.querySelector(".resource-key"));
  const next = seen[at + step];
  if (!next) return;
  event.preventDefault();
  const summary = next.closest("summary");
  if (!summary) next.tabIndex = -1;
  (summary ?? next).focus();
  tell(next);
});

function ready() {
  const root = region();
  const bar = root?.querySelector("[data-values-tools]");
  if (!bar) return;
  if (bar.hidden) bar.hidden = false;
  if (!root.hasAttribute("data-values-ready")) root.setAttribute("data-values-ready", "");
  if (query) search();
  if (chosen) { const key = keys(root).find((one) => one.dataset.path === chosen); if (key && !key.hasAttribute("data-chosen")) tell(key); }
}
ready();
if (region()) new MutationObserver(ready).observe(region(), { childList: true, subtree: true, attributes: true, attributeFilter: ["data-values-ready"] });
