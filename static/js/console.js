// Every page needs this: htmx and idiomorph, theme and namespace pickers, menus. Without it pages still read and post.
import htmx from "htmx.org";
import { Idiomorph } from "idiomorph/dist/idiomorph.esm.js";
import { mayAdd, mayMorph } from "./live/guard.js";
import "./keyboard/rows.js";
import "./frame/empties.js";
import "./frame/kubectl.js";
import "./frame/navigation.js";
import "./frame/picker.js";
import "./frame/scroll.js";
import "./preferences.js";

window.htmx = htmx;
window.Idiomorph = Idiomorph;
// A request that a newer one replaced, or that a page left behind, has not failed; htmx would log it as an error. What really
// failed it logs as htmx:sendError.
htmx.logger = (_element, name, detail) => {
  if (name === "htmx:sendAbort" || (name === "htmx:afterRequest" && detail.xhr?.status === 0)) delete detail.error;
};

// `hx-swap="morph"`: keep focus, typed values and open details while the server's HTML is laid over the page.
htmx.defineExtension("morph", {
  isInlineSwap: (style) => style.startsWith("morph"),
  handleSwap(style, target, fragment) {
    if (!style.startsWith("morph")) return undefined;
    const morphStyle = style.includes("inner") ? "innerHTML" : "outerHTML";
    // What somebody is typing at this moment is newer than any answer.
    const typing = (node) => node === document.activeElement && node.matches("input, textarea");
    const callbacks = {
      beforeNodeMorphed: mayMorph,
      beforeNodeAdded: (node) => mayAdd(node, target),
      beforeAttributeUpdated: (name, node) => !(name === "open" && node instanceof HTMLDetailsElement) && !(name === "value" && typing(node)),
    };
    return Idiomorph.morph(target, fragment.children ?? fragment, { morphStyle, callbacks });
  },
});

const csrf = () => document.querySelector("meta[name=csrf-token]")?.content ?? "";
document.addEventListener("htmx:configRequest", (event) => {
  event.detail.headers["X-Console-Who"] = document.body.dataset.who ?? ""; // another tab may have begun to act as somebody else
  if (event.detail.verb !== "get") event.detail.headers["X-CSRFToken"] = csrf();
});

// A select marked data-submit sends its form at once (namespace, language); the form's button serves readers without script.
document.addEventListener("change", (event) => {
  if (event.target.matches("select[data-submit]")) event.target.form.requestSubmit();
});

// Menus are <details class="console-menu">: one open at a time, closed by Escape or a click elsewhere.
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.console-menu[open]")) if (!menu.contains(event.target)) menu.open = false;
  const copy = event.target.closest("[data-copy]");
  if (copy) navigator.clipboard.writeText(copy.dataset.copy).then(() => { copy.dataset.copied = ""; setTimeout(() => delete copy.dataset.copied, 1500); });
  const toggle = event.target.closest("[data-nav-toggle]");
  if (toggle) {
    const bar = document.getElementById("navigation");
    const open = bar.classList.toggle("pf-m-expanded");
    toggle.setAttribute("aria-expanded", String(open));
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details.console-menu[open]")) { menu.open = false; menu.querySelector("summary").focus(); }
});

// A form that was refused: the first field with an error has the focus, unless the page gives it to something else.
if (!document.querySelector("[autofocus]")) document.querySelector("form[method=post] [aria-invalid=true]")?.focus();

// What was swapped and can't have the focus that it had, a closed panel, gives it to another element.
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.elt.matches?.("[data-gives-focus]")) document.getElementById(event.detail.elt.dataset.givesFocus)?.focus();
});

// The connection's own failures are said in a toast; server answers with a body of their own are swapped instead.
function toast(text) {
  const place = document.getElementById("toasts");
  const item = document.getElementById("toast-template").content.firstElementChild.cloneNode(true);
  item.querySelector("[data-text]").textContent = text;
  place.append(item);
  setTimeout(() => item.remove(), 12000);
}
// Good news goes by itself; bad news stays until it is dismissed.
for (const item of document.querySelectorAll("#toasts > .pf-m-success, #toasts > .pf-m-info")) setTimeout(() => item.remove(), item.querySelector("a") ? 12000 : 8000);
document.addEventListener("click", (event) => event.target.closest("[data-dismiss]")?.closest("[data-dismissable]")?.remove());
document.addEventListener("htmx:sendError", () => toast(document.body.dataset.textUnreachable));
document.addEventListener("htmx:responseError", (event) => {
  const body = event.detail.xhr.responseText ?? "";
  toast(body.length < 400 && !body.includes("<") ? body : `${event.detail.xhr.status} ${event.detail.xhr.statusText}`);
});

// What the API server warned of while a part of the page was made: above the content, where it covers nothing and stays.
function warn(text) {
  const place = document.getElementById("warnings");
  if (!place || [...place.querySelectorAll("[data-text]")].some((shown) => shown.textContent === text)) return;
  const item = document.getElementById("warning-template").content.firstElementChild.cloneNode(true);
  item.querySelector("[data-text]").textContent = text;
  place.append(item);
  item.scrollIntoView({ block: "nearest" });
}
document.addEventListener("console:warnings", (event) => { for (const text of event.detail.texts) warn(text); });

// A page that could not be made, because a part was down, makes itself as soon as the part is back.
if (document.querySelector("[data-retry]")) {
  // One question at a time: a cluster that is silent holds each for half a minute.
  const retry = async () => {
    const answer = await fetch(location.href, { method: "HEAD", cache: "no-store" }).catch(() => null);
    if (answer?.ok) location.reload();
    else setTimeout(retry, 3000);
  };
  setTimeout(retry, 3000);
}
export { toast };
