// depends.js: fields that depend on others, chains of them, branches of a choice, and what is sent of those that are hidden.
import assert from "node:assert/strict";
import { test } from "node:test";
import { form } from "./pages.js";

const hidden = (shown, ...names) => names.map((name) => shown.box(`/spec/${name}`).hasAttribute("data-unmet"));
const spec = (shown) => shown.sent().filter(([name, value]) => /^[sx]:\/spec/.test(name) && value);

test("what depends on a hidden field is hidden, and is not sent", async () => {
  const shown = await form("house");
  assert.deepEqual(hidden(shown, "second", "third", "part"), [false, false, false]);
  await shown.fill("s:/spec/first", "off");
  assert.deepEqual(hidden(shown, "second", "third", "part"), [true, true, true]);
  const sent = Object.fromEntries(spec(shown));
  assert.deepEqual([sent["s:/spec/second"], sent["s:/spec/third"], sent["s:/spec/part/inner"]], [undefined, undefined, undefined]);
  assert.deepEqual([sent["x:/spec/second"], sent["x:/spec/third"], sent["x:/spec/part"]], ["1", "1", "1"]);
  assert.equal(sent["s:/spec/first"], "off");
});

test("what depends on a text appears while it is typed, before the field is left", async () => {
  const shown = await form("house");
  const control = shown.named("s:/spec/first");
  for (const [text, unmet] of [["o", true], ["on", false]]) {
    control.value = text;
    control.dispatchEvent(new Event("input", { bubbles: true }));
    assert.deepEqual(hidden(shown, "second"), [unmet]);
  }
});

test("what is shown again is sent again, as it was", async () => {
  const shown = await form("house");
  const before = spec(shown);
  await shown.fill("s:/spec/first", "off");
  await shown.fill("s:/spec/first", "on");
  assert.deepEqual(hidden(shown, "second", "third", "part"), [false, false, false]);
  assert.deepEqual(spec(shown), before);
});

test("a middle of a chain hides only what is behind it", async () => {
  const shown = await form("house");
  await shown.fill("s:/spec/second", "stop");
  assert.deepEqual(hidden(shown, "second", "third", "part"), [false, true, false]);
});

test("fields that depend on each other come to rest", async () => {
  const shown = await form("house");
  await shown.fill("s:/spec/first", "off");
  assert.equal(hidden(shown, "round").length, 1);
});

test("items follow their own controls, those that are added too", async () => {
  const shown = await form("house");
  await shown.fill("s:/spec/rooms/@0/size", "big");
  assert.deepEqual(hidden(shown, "rooms/@0/door"), [false]);
  await shown.press(shown.$('[name="~add"][value="/spec/rooms"]'));
  const pointer = shown.items("/spec/rooms")[1].dataset.pointer.replace("/spec/", "");
  assert.match(pointer, /^rooms\/@n\d+$/);
  assert.deepEqual(hidden(shown, `${pointer}/size`, `${pointer}/door`, "rooms/@0/door"), [true, true, false]);
  await shown.fill(`s:/spec/${pointer}/kind`, "hall");
  await shown.fill(`s:/spec/${pointer}/size`, "big");
  assert.deepEqual(hidden(shown, `${pointer}/size`, `${pointer}/door`), [false, false]);
  await shown.fill(`s:/spec/${pointer}/kind`, "cell");
  assert.deepEqual(hidden(shown, `${pointer}/size`, `${pointer}/door`, "rooms/@0/door"), [true, true, false]);
});

test("of a choice only the chosen branch is seen", async () => {
  const shown = await form("gallery");
  const other = (name) => shown.box(`/spec/source/${name}`).hasAttribute("data-other");
  const choice = shown.$('[data-choices] input[type="radio"][value="0"]');
  assert.ok(choice);
  choice.checked = true;
  choice.dispatchEvent(new Event("change", { bubbles: true }));
  const first = [other("git"), other("bucket")];
  assert.equal(first.filter(Boolean).length, 1);
  const next = shown.$(`[data-choices] input[name="${choice.name}"][value="1"]`);
  next.checked = true;
  next.dispatchEvent(new Event("change", { bubbles: true }));
  assert.deepEqual([other("git"), other("bucket")], first.map((hid) => !hid));
});
