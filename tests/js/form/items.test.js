// items.js, parts.js, paste.js and removal.js: items that are added, moved, copied, pasted and removed, and sections that are opened.
import assert from "node:assert/strict";
import { test } from "node:test";
import { emit, pass, press as key, type } from "../page.js";
import { form } from "./pages.js";

const texts = (shown, list) => shown.items(list).map((item) => item.querySelector(".console-row-value input").value);
const button = (box, name) => [...box.querySelectorAll("button")].find((one) => one.getAttribute("aria-label") === name || one.textContent.trim() === name);

test("a new item has the focus, a number and a name of its own", async () => {
  const shown = await form("edited-gallery");
  await shown.press(shown.$('[name="~add"][value="/spec/tags"]'));
  const [, , , item, ...more] = shown.items("/spec/tags");
  assert.deepEqual(more, []);
  assert.match(item.dataset.pointer, /^\/spec\/tags\/@n\d+$/);
  assert.equal(shown.document.activeElement, item.querySelector("input"));
  assert.match(item.querySelector("input").getAttribute("aria-label"), /^Item 4 of Tags$/);
  assert.ok(button(item, "Move item 4 up"));
  assert.equal(shown.announced(), "Added: Item 4");
  assert.ok(shown.dirty());
  assert.equal(shown.asked.at(-1).get("~number"), "4");
  assert.equal(shown.asked.at(-1).has("~base"), true);
  await shown.press(shown.$('[name="~add"][value="/spec/tags"]'));
  assert.notEqual(shown.items("/spec/tags")[4].dataset.pointer, item.dataset.pointer);
});

test("an item moves, keeps the focus on its button, and numbers follow the order", async () => {
  const shown = await form("edited-gallery");
  const first = shown.items("/spec/tags")[2];
  await shown.press(button(first, "Move item 3 up"));
  assert.deepEqual(texts(shown, "/spec/tags"), ["one", "three", "two"]);
  assert.equal(shown.document.activeElement.getAttribute("aria-label"), "Move item 2 up");
  assert.equal(shown.announced(), "Moved to position 2");
  await shown.press(button(first, "Move item 2 down"));
  await shown.press(button(first, "Move item 3 down"));
  assert.deepEqual(texts(shown, "/spec/tags"), ["one", "two", "three"]);
  await shown.press(button(shown.items("/spec/tags")[0], "Move item 1 up"));
  assert.deepEqual(texts(shown, "/spec/tags"), ["one", "two", "three"]);
});

test("an item is removed, and the focus is on what is in its place", async () => {
  const shown = await form("edited-gallery");
  await shown.press(button(shown.items("/spec/tags")[1], "Remove item 2"));
  assert.deepEqual(texts(shown, "/spec/tags"), ["one", "three"]);
  assert.equal(shown.document.activeElement.value, "three");
  assert.equal(shown.document.activeElement.getAttribute("aria-label"), "Item 2 of Tags");
  assert.match(shown.announced(), /^Removed: Remove item 2/);
  for (const number of [2, 1]) await shown.press(button(shown.items("/spec/tags")[number - 1], `Remove item ${number}`));
  assert.equal(shown.document.activeElement, shown.$('[data-add][value="/spec/tags"]'));
  assert.equal(shown.document.activeElement.dataset.add, "0");
});

test("many are pasted at once, one a line, without comments", async () => {
  const shown = await form("edited-gallery");
  const paste = shown.box("/spec/tags").querySelector("[data-paste]");
  await shown.press(paste);
  const area = shown.$("#form .console-paste textarea");
  assert.equal(shown.document.activeElement, area);
  assert.equal(shown.$("#form .console-paste [data-pairs]"), null);
  await shown.press(paste);
  assert.equal(shown.$$("#form .console-paste").length, 1);
  area.value = "four\n\n  five \r\n# no\n";
  await shown.press(shown.$("#form .console-paste [data-do=add]"));
  assert.deepEqual(texts(shown, "/spec/tags"), ["one", "two", "three", "four", "five"]);
  assert.equal(shown.$("#form .console-paste"), null);
  assert.equal(shown.announced(), "Added: 2");
  assert.equal(new Set(shown.items("/spec/tags").map((item) => item.dataset.pointer)).size, 5);
  assert.match(shown.items("/spec/tags")[4].querySelector("input").getAttribute("aria-label"), /^Item 5 of Tags$/);
});

test("pairs are pasted by their keys: those that are there get the value", async () => {
  const shown = await form("edited-gallery");
  const settings = shown.box("/spec/settings");
  const put = async (text) => {
    await shown.press(settings.querySelector("[data-paste]"));
    settings.querySelector(".console-paste textarea").value = text;
    await shown.press(settings.querySelector("[data-do=add]"));
  };
  const pairs = () => shown.items("/spec/settings").map((item) => [item.querySelector("[name^='k:']").value, item.querySelector(".console-row-value input").value]);
  await put('a=1\nb.c/d: x=y\n# no\nalone\n"q r" = "s t"');
  assert.deepEqual(pairs(), [["a", "1"], ["b.c/d", "x=y"], ["alone", ""], ["q r", "s t"]]);
  await put("a=2\nnew=3\nnew=4");
  assert.deepEqual(pairs(), [["a", "2"], ["b.c/d", "x=y"], ["alone", ""], ["q r", "s t"], ["new", "4"]]);
});

test("pasting is given up by Escape and by its button", async () => {
  const shown = await form("edited-gallery");
  const paste = shown.box("/spec/tags").querySelector("[data-paste]");
  for (const give of [() => key(shown.$("#form .console-paste textarea"), "Escape"), () => shown.press(shown.$("#form [data-do=cancel]"))]) {
    await shown.press(paste);
    await give();
    assert.equal(shown.$("#form .console-paste"), null);
    assert.equal(shown.document.activeElement, paste);
  }
});

test("a card is titled by what tells it from the others", async () => {
  const shown = await form("edited-gallery");
  const title = () => shown.items("/spec/users")[0].querySelector(".console-section-title").textContent;
  assert.equal(title(), "Item 1: user-0");
  type(shown.named("s:/spec/users/@0/name"), "ann");
  assert.equal(title(), "Item 1: ann");
  type(shown.named("s:/spec/users/@0/name"), "");
  assert.equal(title(), "Item 1");
});

test("a copy has what was typed, names of its own, and says what it was copied from", async () => {
  const shown = await form("edited-gallery");
  type(shown.named("s:/spec/users/@0/name"), "typed");
  await shown.press(button(shown.items("/spec/users")[0], "Duplicate item 1"));
  const [first, copy] = shown.items("/spec/users");
  assert.equal(shown.items("/spec/users").length, 4);
  const { pointer } = copy.dataset;
  assert.match(pointer, /^\/spec\/users\/@n\d+$/);
  assert.equal(shown.named(`s:${pointer}/name`).value, "typed");
  assert.equal(shown.named(`c:${pointer}`).value, "0");
  assert.equal(copy.dataset.from, first.dataset.pointer);
  assert.equal(copy.querySelector("[data-number]").textContent, "Item 2");
  type(shown.named(`s:${pointer}/name`), "other");
  assert.equal(shown.named("s:/spec/users/@0/name").value, "typed");
  // A copy of the copy is of the same.
  await shown.press(button(copy, "Duplicate item 2"));
  const third = shown.items("/spec/users")[2];
  assert.equal(shown.named(`c:${third.dataset.pointer}`).value, "0");
});

test("what is opened in a copy is fetched as the original's, and named as the copy's", async () => {
  const shown = await form("long-gallery");
  const closed = shown.box("/spec/users/@20");
  assert.ok(closed.querySelector(":scope > details[data-lazy]"));
  await shown.press(closed.querySelector("[data-duplicate]"));
  const copy = closed.nextElementSibling;
  const { pointer } = copy.dataset;
  const details = copy.querySelector(":scope > details[data-lazy]");
  details.open = true;
  details.dispatchEvent(new Event("toggle"));
  await pass(60);
  assert.equal(shown.asked.at(-1).get("~pointer"), closed.dataset.pointer);
  assert.equal(shown.named(`s:${pointer}/name`).value, "user-20");
  assert.equal(shown.$$(`[data-pointer="${pointer}"]`).length, 1);
  assert.ok(shown.named(`c:${pointer}`));
});

test("a section that is opened is fetched once, and the focus goes with it", async () => {
  const shown = await form("long-gallery");
  const closed = shown.box("/spec/users/@20");
  const { pointer } = closed.dataset;
  closed.querySelector("summary").focus();
  closed.querySelector("details").open = true;
  closed.querySelector("details").dispatchEvent(new Event("toggle"));
  closed.querySelector("details").dispatchEvent(new Event("toggle"));
  await pass(60);
  assert.equal(shown.asked.length, 1);
  assert.equal(shown.box(pointer).querySelector(":scope > details").open, true);
  assert.equal(shown.document.activeElement, shown.box(pointer).querySelector("summary"));
});

test("a part that can't be fetched is said, and its place stays as it was", async () => {
  const shown = await form("edited-gallery", { more: () => ({ status: 500, text: "broken" }) });
  let said = 0;
  shown.document.addEventListener("htmx:sendError", () => { said += 1; });
  await shown.press(shown.$('[name="~add"][value="/spec/tags"]'));
  assert.equal(said, 1);
  assert.equal(shown.items("/spec/tags").length, 3);
  assert.equal(shown.$("[aria-busy]"), null);
});

test("a list that is full takes no more, until one goes", async () => {
  const shown = await form("edited-gallery");
  const button = shown.$('[name="~add"][value="/spec/tags"]');
  button.dataset.max = "4";
  await shown.press(button);
  assert.equal(button.disabled, true);
  await shown.press(shown.items("/spec/tags")[0].querySelector("[data-remove]"));
  assert.equal(button.disabled, false);
});

test("a section is removed as a whole, and brought back", async () => {
  const shown = await form("edited-gallery");
  const nested = shown.box("/spec/nested");
  const remove = nested.querySelector("button[name='~remove'][value='/spec/nested']");
  await shown.press(remove);
  assert.equal(shown.named("s:/spec/nested/host"), null);
  assert.equal(shown.named("x:/spec/nested").value, "1");
  const undo = shown.$("#form [data-undo]");
  assert.equal(shown.document.activeElement, undo);
  assert.match(shown.$(".console-gone").textContent, /^Removed: Nested/);
  assert.ok(shown.dirty());
  await shown.press(undo);
  assert.equal(shown.named("s:/spec/nested/host").value, "h");
  assert.equal(shown.named("x:/spec/nested"), null);
});

test("while a part is fetched the form is not sent; typed text is asked about", async () => {
  let give;
  const shown = await form("edited-gallery", { more: () => new Promise((done) => { give = () => done({ status: 500 }); }) });
  const leave = () => { const event = new Event("beforeunload", { cancelable: true }); dispatchEvent(event); return event.defaultPrevented; };
  assert.equal(leave(), false);
  shown.press(shown.$('[name="~add"][value="/spec/tags"]'));
  assert.equal(emit(shown.$("#form"), "htmx:beforeRequest").defaultPrevented, true);
  give();
  await pass(10);
  assert.equal(emit(shown.$("#form"), "htmx:beforeRequest").defaultPrevented, false);
  type(shown.named("s:/spec/title"), "x");
  assert.equal(leave(), true);
  emit(shown.document, "htmx:beforeOnLoad", { xhr: { getResponseHeader: (name) => (name === "HX-Redirect" ? "/there/" : null) } });
  assert.equal(leave(), false);
});

test("every answer to the form is shown, whatever its status", async () => {
  const shown = await form("gallery");
  const swap = (text) => { const detail = { target: shown.$("#form"), xhr: { responseText: text }, shouldSwap: false, isError: true }; emit(shown.document, "htmx:beforeSwap", detail); return detail.shouldSwap; };
  assert.equal(swap('<form id="form">'), true);
  assert.equal(swap("<p>something else"), false);
});
