// console.js with htmx: one page for all tests of this file, as htmx belongs to one.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { click, emit, pageOf, pass, press, settled } from "../page.js";

let shown;
let text;
before(async () => {
  shown = await pageOf({
    html: `<div id="toasts"></div><template id="toast-template"><div data-dismissable><span data-text></span><button data-dismiss>x</button></div></template>
      <div id="warnings"></div><template id="warning-template"><p><span data-text></span></p></template><nav id="navigation"></nav><button data-nav-toggle aria-expanded="false">menu</button>
      <details class="console-menu" id="one"><summary>1</summary><a id="in-one">x</a></details><details class="console-menu" id="two"><summary>2</summary></details><button data-copy="kubectl get">copy</button>
      <form id="pick"><select data-submit><option>a</option></select></form><main id="main"><form method="post"><input id="right"><input id="wrong" aria-invalid="true"></form><div id="part" hx-ext="morph"><input id="typed" value="old"><details id="more"><summary>more</summary></details><p id="text">old</p></div></main>`,
    head: '<meta name="csrf-token" content="token">',
    // Asked by htmx for attributes that we don't use (hx-on).
    before: () => { globalThis.XPathEvaluator = class { createExpression() { return { evaluate: () => ({ iterateNext: () => null }) }; } }; },
  }, "console.js");
  document.body.dataset.who = "ann";
  document.body.dataset.textUnreachable = "No connection";
});

test("of a refused form the first field with an error has the focus", () => {
  assert.equal(document.activeElement, shown.$("#wrong"));
});

test("what htmx asks for says whose page it is, and carries the token where something is changed", () => {
  const asked = (verb) => { const detail = { verb, headers: {}, parameters: new URLSearchParams() }; emit(document, "htmx:configRequest", detail); return detail.headers; };
  assert.deepEqual(asked("get"), { "X-Console-Who": "ann" });
  assert.deepEqual(asked("post"), { "X-Console-Who": "ann", "X-CSRFToken": "token" });
});

test("one menu at a time, closed by a click elsewhere and by Escape, which leaves the focus there", () => {
  const { $ } = shown;
  $("#one").open = true;
  $("#two").open = true;
  click($("#in-one"));
  assert.deepEqual([$("#one").open, $("#two").open], [true, false]);
  press(document.body, "Escape");
  assert.equal($("#one").open, false);
  assert.equal(document.activeElement, $("#one summary"));
});

test("toasts: what failed is said, in the server's words where they are few", async () => {
  const { $$ } = shown;
  const said = () => $$("#toasts [data-text]").map((one) => one.textContent);
  emit(document, "htmx:sendError");
  emit(document, "htmx:responseError", { xhr: { responseText: "It is taken", status: 409 } });
  emit(document, "htmx:responseError", { xhr: { responseText: "<html>", status: 500, statusText: "Server Error" } });
  assert.deepEqual(said(), ["No connection", "It is taken", "500 Server Error"]);
  click($$("#toasts [data-dismiss]")[0]);
  assert.equal(said().length, 2);
  await pass(12_100);
  assert.deepEqual(said(), []);
});

test("warnings of the API server stand once each, and stay", async () => {
  emit(document, "console:warnings", { texts: ["deprecated", "old"] });
  emit(document, "console:warnings", { texts: ["old"] });
  await pass(60_000);
  assert.deepEqual(shown.$$("#warnings [data-text]").map((one) => one.textContent), ["deprecated", "old"]);
});

test("the navigation unfolds, and says so; a command is copied, and says so for a moment", async () => {
  const { $ } = shown;
  click($("[data-nav-toggle]"));
  assert.deepEqual([$("#navigation").className, $("[data-nav-toggle]").getAttribute("aria-expanded")], ["pf-m-expanded", "true"]);
  Object.defineProperty(navigator, "clipboard", { value: { writeText: async (value) => { text = value; } }, configurable: true });
  click($("[data-copy]"));
  await settled();
  assert.equal(text, "kubectl get");
  assert.ok("copied" in $("[data-copy]").dataset);
  await pass(1600);
  assert.ok(!("copied" in $("[data-copy]").dataset));
});

test("a select that is to be sent at once sends its form", () => {
  let sent = 0;
  shown.$("#pick").addEventListener("submit", (event) => { sent += 1; event.preventDefault(); });
  shown.$("#pick select").dispatchEvent(new Event("change", { bubbles: true }));
  assert.equal(sent, 1);
});

test("what htmx brings is laid over the page: open details and what is typed stay", async () => {
  const { $ } = shown;
  $("#more").open = true;
  $("#typed").focus();
  $("#typed").value = "typing";
  const fresh = '<div id="part" hx-ext="morph"><input id="typed" value="new"><details id="more"><summary>more</summary></details><p id="text">new</p></div>';
  window.htmx.swap($("#part"), fresh, { swapStyle: "morph:outerHTML", swapDelay: 0, settleDelay: 0 }, { contextElement: $("#part") });
  await pass(100);
  assert.equal($("#text").textContent, "new");
  assert.equal($("#more").open, true);
  assert.equal($("#typed").value, "typing");
  assert.equal(document.activeElement, $("#typed"));
});
