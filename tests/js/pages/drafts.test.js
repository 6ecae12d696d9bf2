// drafts.js: what is typed is kept for this tab, offered again when it was left unsaved, and never sent too large.
import assert from "node:assert/strict";
import { test } from "node:test";
import { emit, pageOf, pass, settled, type } from "../page.js";

const KEY = "draft:/resources/core/v1/configmaps/new/?namespace=default";
const FORM = `<main id="main"><section>head</section><form id="form" action="/resources/core/v1/configmaps/new/?namespace=default&view=form" EXTRA>
  <div id="form-kept"></div><input type="hidden" name="csrfmiddlewaretoken" value="old"><input name="s:/metadata/name" value=""><input data-filter><input type="password" name="other" value="">
  <button type="submit">Create</button><button type="submit" name="~yaml" data-native>YAML</button></form></main>
  <template id="restore-template"><div class="restore"><button data-restore>Restore</button><button data-forget>Forget</button></div></template>
  <template id="toobig-template"><div class="toobig" tabindex="-1">too large</div></template>`;
const YAML = '<textarea data-editor name="text"></textarea>';

async function drafts({ extra = 'hx-post="/x"', kept, more = "" } = {}) {
  const shown = await pageOf({
    html: FORM.replace("EXTRA", extra).replace("</form>", `${more}</form>`), head: '<meta name="csrf-token" content="old">', url: "http://console.test/resources/core/v1/configmaps/new/?namespace=default",
    before: ({ window }) => { if (kept) window.sessionStorage.setItem(KEY, JSON.stringify(kept)); },
  }, "drafts.js");
  const copy = () => JSON.parse(sessionStorage.getItem(KEY));
  const leave = () => { const event = new Event("beforeunload", { cancelable: true }); dispatchEvent(event); return event.defaultPrevented; };
  const submit = (button) => {
    let arrived = false;
    const hear = (event) => { arrived = true; event.preventDefault(); };
    shown.$("#form").addEventListener("submit", hear);
    shown.$("#form").requestSubmit(button);
    shown.$("#form").removeEventListener("submit", hear);
    return arrived;
  };
  return { ...shown, copy, leave, submit, name: shown.$("[name='s:/metadata/name']") };
}
const NAMED = [["s:/metadata/name", "lost"], ["other", ""]];

test("what is typed is kept a moment later, without the token", async () => {
  const { name, copy } = await drafts();
  type(name, "los");
  await pass(200);
  type(name, "lost");
  await pass(300);
  assert.equal(copy(), null);
  await pass(200);
  assert.deepEqual(copy(), { pairs: NAMED });
});

test("neither a search for a field, nor a Secret, nor very much is kept", async () => {
  const one = await drafts();
  type(one.$("[data-filter]"), "search");
  await pass(500);
  assert.equal(one.copy(), null);
  const secret = await drafts({ extra: 'hx-post="/x" data-secret' });
  type(secret.name, "hush");
  await pass(500);
  assert.equal(secret.copy(), null);
  const large = await drafts();
  type(large.name, "x".repeat(1024 * 1024));
  await pass(500);
  assert.equal(large.copy(), null);
});

test("it is offered again, and forgotten if nobody wants it", async () => {
  const { $, copy } = await drafts({ kept: { pairs: NAMED } });
  assert.ok($(".restore"));
  $(".restore [data-forget]").click();
  assert.equal($(".restore"), null);
  assert.equal(copy(), null);
});

test("what was sent is not offered, nor what stands on the page already", async () => {
  const sent = await drafts({ kept: { pairs: NAMED, sent: true } });
  assert.equal(sent.$(".restore"), null);
  assert.equal(sent.copy(), null);
  const dirty = await drafts({ extra: 'hx-post="/x" data-dirty', kept: { pairs: NAMED } });
  assert.equal(dirty.$(".restore"), null);
});

test("a page that could not be made keeps what was sent as not sent", async () => {
  const { copy } = await drafts({ kept: { pairs: NAMED, sent: true }, more: "<i data-kept></i>" });
  assert.deepEqual(copy(), { pairs: NAMED, sent: false });
});

test("a form is drawn anew by the server from what its controls said", async () => {
  const shown = await drafts({ kept: { pairs: NAMED } });
  let sent = null;
  window.HTMLFormElement.prototype.submit = function submit() { sent = [...new FormData(this)]; };
  shown.$("[data-restore]").click();
  assert.deepEqual(sent, [["csrfmiddlewaretoken", "old"], ...NAMED, ["~back", "1"]]);
  assert.equal(shown.document.forms.length, 2);
  assert.equal(shown.document.forms[1].getAttribute("action"), "/resources/core/v1/configmaps/new/?namespace=default&view=form");
});

test("a text goes back into its editor", async () => {
  const shown = await drafts({ kept: { pairs: [["text", "a: 1\r\nb: 2"]] }, more: YAML });
  let set = 0;
  shown.$("textarea").addEventListener("console:set", () => { set += 1; });
  shown.$("[data-restore]").click();
  assert.equal(shown.$("textarea").value, "a: 1\nb: 2");
  assert.equal(set, 1);
  assert.ok("dirty" in shown.$("#form").dataset);
});

test("what is sent is marked so, and forgotten when the server leads on", async () => {
  const { name, copy, submit, document } = await drafts();
  type(name, "lost");
  await pass(500);
  assert.equal(submit(), true);
  assert.equal(copy().sent, true);
  emit(document, "htmx:sendError");
  assert.equal(copy().sent, false);
  emit(document, "htmx:beforeOnLoad", { xhr: { getResponseHeader: () => null } });
  assert.ok(copy());
  emit(document, "htmx:beforeOnLoad", { xhr: { getResponseHeader: (header) => (header === "HX-Redirect" ? "/there/" : null) } });
  assert.equal(copy(), null);
});

test("what goes to another page is the browser's own, and nobody is asked", async () => {
  const { $, name, submit, leave } = await drafts({ extra: "" });
  assert.equal(leave(), false);
  type(name, "x");
  assert.equal(leave(), true);
  assert.equal(submit($("[data-native]")), false);
  assert.equal(leave(), false);
});

test("what is too large to arrive is not sent, and that is said", async () => {
  const { $, name, submit, document } = await drafts();
  name.value = "x".repeat(16 * 1024 * 1024);
  assert.equal(submit(), false);
  assert.equal($("#form").firstElementChild.className, "toobig");
  assert.equal(document.activeElement.className, "toobig");
  name.value = "한".repeat(6 * 1024 * 1024);
  assert.equal(submit(), false);
  name.value = "small";
  assert.equal(submit(), true);
});

test("a token that was too old is renewed, and the form sent once more, not twice", async () => {
  const { $, document } = await drafts();
  let sent = [];
  window.HTMLFormElement.prototype.requestSubmit = function again(button) { sent.push(button?.textContent ?? ""); };
  const button = $("button");
  const swap = (headers) => {
    const detail = { xhr: { getResponseHeader: (name) => headers[name] ?? null }, requestConfig: { triggeringEvent: { submitter: button } }, shouldSwap: true, isError: true };
    emit(document, "htmx:beforeSwap", detail);
    return detail;
  };
  const old = { "X-Console-Kept": "new", "X-Console-Again": "1" };
  assert.deepEqual([swap(old).shouldSwap, swap({ ...old }).target?.id], [false, "form-kept"]);
  await pass(10);
  assert.deepEqual(sent, ["Create"]);
  assert.equal($("[name=csrfmiddlewaretoken]").value, "new");
  assert.equal($("meta[name=csrf-token]").content, "new");
  // Another answer in between, and it may be once more.
  swap({});
  sent = [];
  assert.equal(swap(old).shouldSwap, false);
  await pass(10);
  assert.equal(sent.length, 1);
});

test("an answer that the console could not make stands above what was typed", async () => {
  const { $, name, copy, document } = await drafts();
  type(name, "lost");
  await pass(500);
  const detail = { xhr: { getResponseHeader: (header) => (header === "X-Console-Kept" ? "new" : null) }, requestConfig: {} };
  emit(document, "htmx:beforeSwap", detail);
  assert.deepEqual([detail.target, detail.shouldSwap, detail.isError], [$("#form-kept"), true, false]);
  assert.equal(copy().sent, false);
  await settled();
});
