// find.js: a field is found by the server, opened step by step, and focused; controls.js, menu.js and pickers.js: helps at single controls.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pass, press, settled, type } from "../page.js";
import { form } from "./pages.js";

const LIST = '<ul><li><a href="#a" data-reveal-pointer="/spec/users/@20/quota/inodes">users[20].quota.inodes</a></li><li><a href="#b" data-reveal-pointer="/spec/nested/host">nested.host</a></li></ul>';
const find = async (options = {}) => {
  const searched = [];
  const shown = await form("long-gallery", { ...options, more: (request) => {
    if (!request.url.includes("/find/")) return undefined;
    searched.push(new Map(request.body).get("q"));
    return options.search?.(request) ?? { text: LIST };
  } });
  return { ...shown, searched, field: shown.$("#form [data-filter]"), links: () => shown.$$("[data-found] a") };
};

test("it searches once the user stops typing, and not for a letter", async () => {
  const shown = await find();
  for (const text of ["i", "in", "ino"]) { type(shown.field, text); await pass(50); }
  await pass(200);
  assert.deepEqual(shown.searched, ["ino"]);
  assert.equal(shown.links().length, 2);
  type(shown.field, "i");
  await pass(200);
  assert.equal(shown.links().length, 0);
  assert.deepEqual(shown.searched, ["ino"]);
  // The search is nothing that is typed into the object.
  assert.equal(shown.dirty(), false);
});

test("an answer that was overtaken is not shown", async () => {
  const gates = [];
  const shown = await find({ search: () => new Promise((done) => { gates.push(done); }) });
  type(shown.field, "one");
  await pass(200);
  type(shown.field, "other");
  await pass(200);
  gates[1]({ text: '<a href="#x" data-reveal-pointer="/spec/title">new</a>' });
  await settled();
  gates[0]({ text: LIST });
  await settled();
  assert.deepEqual(shown.links().map((link) => link.textContent), ["new"]);
});

test("Enter opens what holds the first, part by part, and focuses it", async () => {
  const shown = await find();
  type(shown.field, "inodes");
  await pass(200);
  press(shown.field, "Enter");
  for (let turn = 0; turn < 10; turn += 1) await settled();
  assert.equal(shown.document.activeElement.name, "i:/spec/users/@20/quota/inodes");
  assert.equal(shown.links().length, 0);
  assert.ok(shown.document.activeElement.closest(".console-found"));
  await pass(2600);
  assert.equal(shown.$(".console-found"), null);
});

test("what stands in items that aren't there yet leads to the button that adds one", async () => {
  const shown = await find({ search: () => ({ text: '<a href="#c" data-reveal-pointer="/spec/tags">tags[]</a>' }) });
  for (const item of shown.items("/spec/tags")) item.remove();
  type(shown.field, "tags");
  await pass(200);
  press(shown.field, "Enter");
  for (let turn = 0; turn < 10; turn += 1) await settled();
  assert.equal(shown.document.activeElement, shown.$('[name="~add"][value="/spec/tags"]'));
});

test("Enter waits for what is found", async () => {
  const shown = await find();
  type(shown.field, "host");
  press(shown.field, "Enter");
  assert.equal(shown.links().length, 0);
  for (let turn = 0; turn < 10; turn += 1) await settled();
  assert.equal(shown.document.activeElement.name, "i:/spec/users/@20/quota/inodes");
  assert.deepEqual(shown.searched, ["host"]);
});

test("up and down go through what was found, Escape ends it", async () => {
  const shown = await find();
  type(shown.field, "inodes");
  await pass(200);
  shown.field.focus();
  const at = () => shown.document.activeElement;
  press(at(), "ArrowDown");
  assert.equal(at(), shown.links()[0]);
  press(at(), "ArrowDown");
  press(at(), "ArrowDown");
  assert.equal(at(), shown.links()[1]);
  press(at(), "ArrowUp");
  press(at(), "ArrowUp");
  assert.equal(at(), shown.field);
  press(at(), "Escape");
  assert.equal(shown.links().length, 0);
  assert.equal(at(), shown.field);
});

// Single controls.

test("one more and one less stay within what is allowed", async () => {
  const shown = await form("gallery");
  const box = shown.box("/spec/replicas");
  const [less, more] = ["-1", "1"].map((step) => box.querySelector(`[data-step="${step}"]`));
  const input = shown.named("i:/spec/replicas");
  await shown.press(less);
  assert.equal(input.value, "");
  await shown.press(more);
  await shown.press(more);
  assert.equal(input.value, "2");
  assert.equal(shown.announced(), "2");
  input.max = "2";
  await shown.press(more);
  assert.equal(input.value, "2");
  for (let turn = 0; turn < 4; turn += 1) await shown.press(less);
  assert.equal(input.value, "0");
  assert.ok(shown.dirty());
  input.readOnly = true;
  await shown.press(more);
  assert.equal(input.value, "0");
});

test("a password is shown and hidden", async () => {
  const shown = await form("gallery");
  const button = shown.box("/spec/password").querySelector("[data-reveal]");
  const input = shown.document.getElementById(button.getAttribute("aria-controls"));
  assert.equal(input.type, "password");
  await shown.press(button);
  assert.deepEqual([input.type, button.textContent, button.getAttribute("aria-pressed")], ["text", "Hide", "true"]);
  await shown.press(button);
  assert.deepEqual([input.type, button.textContent, button.getAttribute("aria-pressed")], ["password", "Show", "false"]);
});

test("a line becomes many, by the menu, by Shift-Enter and by what is pasted", async () => {
  const shown = await form("gallery");
  await shown.press(shown.$("button[name='~lines'][value='/spec/greeting']"));
  const area = shown.named("s:/spec/greeting");
  assert.equal(area.tagName, "TEXTAREA");
  assert.equal(shown.document.activeElement, area);
  const image = shown.named("s:/spec/image");
  image.value = "one";
  assert.equal(press(image, "Enter").defaultPrevented, false);
  press(image, "Enter", { shiftKey: true });
  assert.deepEqual([shown.named("s:/spec/image").tagName, shown.named("s:/spec/image").value], ["TEXTAREA", "one\n"]);
  const schedule = shown.named("s:/spec/schedule");
  schedule.value = "abXYcd";
  schedule.setSelectionRange(2, 4);
  const paste = (text) => { const event = Object.assign(new Event("paste", { bubbles: true, cancelable: true }), { clipboardData: { getData: () => text } }); schedule.dispatchEvent(event); return event.defaultPrevented; };
  assert.equal(paste("one line\n"), false);
  assert.equal(paste("1\r\n2"), true);
  assert.equal(shown.named("s:/spec/schedule").value, "ab1\n2cd");
});

test("bytes come from a file, a time from the calendar", async () => {
  const shown = await form("gallery");
  const file = shown.box("/spec/certificate").querySelector("input[type=file]");
  const bytes = Uint8Array.from({ length: 70_000 }, (_, number) => number % 256);
  Object.defineProperty(file, "files", { value: [{ arrayBuffer: async () => bytes.buffer }], configurable: true });
  file.dispatchEvent(new Event("change", { bubbles: true }));
  await settled();
  assert.equal(shown.document.getElementById(file.dataset.file).value, Buffer.from(bytes).toString("base64"));
  const calendar = shown.box("/spec/startAt").querySelector("[data-calendar]");
  const line = shown.named("s:/spec/startAt");
  line.value = "2030-01-31T12:00:00.5+09:00";
  calendar.value = "2031-02-03T04:05";
  calendar.dispatchEvent(new Event("change", { bubbles: true }));
  assert.equal(line.value, new Date(2031, 1, 3, 4, 5).toISOString().replace(".000", ""));
});

test("a field's menu takes the default, undoes, clears and copies its path", async () => {
  const shown = await form("edited-gallery");
  const copied = [];
  Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { copied.push(text); } }, configurable: true });
  const menu = async (pointer, what) => {
    const details = shown.box(pointer).querySelector(":scope > .console-label > [data-menu]");
    details.open = true;
    details.dispatchEvent(new Event("toggle"));
    const item = details.querySelector(`[data-do=${what}]`);
    const { hidden } = item;
    if (!hidden) await shown.press(item);
    return hidden;
  };
  await shown.fill("s:/spec/title", "changed");
  await menu("/spec/title", "reset");
  assert.equal(shown.named("s:/spec/title").value, "edited");
  await menu("/spec/title", "clear");
  assert.equal(shown.named("s:/spec/title").value, "");
  shown.named("e:/spec/title").value = "empty";
  await menu("/spec/title", "clear");
  assert.equal(shown.named("e:/spec/title").value, "");
  assert.equal(await menu("/spec/title", "default"), true);
  await menu("/spec/nested/path", "default");
  assert.equal(shown.named("s:/spec/nested/path").value, "/");
  await menu("/spec/title", "copy");
  assert.deepEqual(copied, ["spec.title"]);
  await pass(100);
  assert.equal(shown.announced(), "Copied");
  // One menu at a time, and their words stand once.
  const open = shown.$$("#form [data-menu][open]");
  assert.ok(open.length <= 1);
  assert.equal(shown.box("/spec/title").querySelectorAll("[data-do=copy]").length, 1);
});

test("an empty text and null are said in the control itself", async () => {
  const shown = await form("gallery");
  const state = shown.named("e:/spec/nickname");
  const control = shown.named("s:/spec/nickname");
  control.value = "x";
  const set = (value) => { state.value = value; state.dispatchEvent(new Event("change", { bubbles: true })); };
  set("null");
  assert.deepEqual([control.placeholder, control.value], ["null", ""]);
  set("empty");
  assert.equal(control.placeholder, "empty string");
  set("");
  assert.equal(control.placeholder, control.dataset.hint);
});

// Names to choose from.

const names = (whole) => `<datalist ${whole ? "data-whole" : ""} data-note=""><option value="signing"></option></datalist>`;

test("names are asked for when a field is entered, once where they are few", async () => {
  const asked = [];
  const shown = await form("gallery", { more: (request) => { if (!request.url.includes("/names/")) return undefined; asked.push(new URL(request.url).searchParams); return { text: names(true) }; } });
  const field = shown.named("s:/spec/secretName");
  const enter = async () => { field.dispatchEvent(new window.FocusEvent("focusin", { bubbles: true })); await settled(); };
  await enter();
  assert.deepEqual([asked[0].get("kind"), asked[0].get("namespace"), asked[0].get("q")], ["Secret", "default", ""]);
  const list = shown.document.getElementById(field.getAttribute("list"));
  assert.deepEqual([...list.children].map((option) => option.value), ["signing"]);
  type(field, "sig");
  await pass(300);
  await enter();
  assert.equal(asked.length, 1);
});

test("where they are many, they are asked for as one types; a note says why there are none", async () => {
  let text = names(false);
  const asked = [];
  const shown = await form("gallery", { more: (request) => { if (!request.url.includes("/names/")) return undefined; asked.push(new URL(request.url).searchParams.get("q")); return { text }; } });
  const field = shown.named("s:/spec/secretName");
  field.dispatchEvent(new window.FocusEvent("focusin", { bubbles: true }));
  await settled();
  text = '<datalist data-note="You can’t list Secrets"></datalist><a href="/new">Create Secret</a>';
  for (const typed of ["s", "si", "sig"]) { type(field, typed); await pass(100); }
  await pass(300);
  assert.deepEqual(asked, ["", "sig"]);
  assert.match(shown.$(".console-picker-note").textContent, /^You can’t list Secrets Create Secret$/);
  text = names(false);
  type(field, "sign");
  await pass(300);
  assert.equal(shown.$(".console-picker-note"), null);
});
