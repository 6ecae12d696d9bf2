// queue.js: of each object only the newest, a frame's worth at a time, nothing while nobody looks.
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { busy, FRAME, hide, page, pass } from "../page.js";

async function queue(show) {
  const shown = [];
  const { module, document } = await page("", "live/queue.js");
  const made = new module.Queue((message) => { shown.push(message); show?.(message); });
  return { push: (event, data, more) => made.push({ event, data: { topic: "t", ...data }, ...more }), shown, document };
}

test("of the same object only the newest is shown", async () => {
  const { push, shown } = await queue();
  push("row", { uid: "a", version: "9" });
  push("row", { uid: "b", version: "1" });
  push("row", { uid: "a", version: "10" });
  push("row", { uid: "a", version: "8" });
  assert.deepEqual(shown, []);
  await pass(FRAME);
  assert.deepEqual(shown.map(({ data }) => [data.uid, data.version]), [["a", "10"], ["b", "1"]]);
});

test("what is gone is not made a row again by a change that came with it", async () => {
  const { push, shown } = await queue();
  push("gone", { uid: "a", version: "9" });
  push("row", { uid: "a", version: "9" });
  await pass(FRAME);
  assert.deepEqual(shown.map(({ event }) => event), ["gone"]);
});

test("a row that was added and changed has still been added", async () => {
  const { push, shown } = await queue();
  push("added", { uid: "a", version: "1" });
  push("row", { uid: "a", version: "2" });
  push("row", { uid: "a", version: "3" });
  await pass(FRAME);
  assert.equal(shown.length, 1);
  assert.equal(shown[0].listed, true);
});

test("objects of other topics and parts are others", async () => {
  const { push, shown } = await queue();
  push("row", { uid: "a", version: "1" });
  push("row", { uid: "a", version: "1", topic: "u" });
  push("row", { uid: "a", version: "1", part: "rows" });
  await pass(FRAME);
  assert.equal(shown.length, 3);
});

test("many changes are one: all names, the newest version, quiet if all were", async () => {
  const { push, shown } = await queue();
  push("changed", { names: [["d", "a"]], version: "9", quiet: true });
  push("changed", { names: [["d", "b"], ["d", "a"]], version: "10", quiet: true });
  await pass(FRAME);
  assert.deepEqual(shown[0].data, { topic: "t", names: [["d", "a"], ["d", "b"]], version: "10", quiet: true });
  push("changed", { names: [["d", "a"]], version: "12", quiet: true });
  push("changed", { names: [["d", "a"]], version: "11", quiet: false });
  await pass(FRAME);
  assert.equal(shown[1].data.version, "12");
  assert.equal(shown[1].data.quiet, false);
});

test("of more than fifty names, or of one that has none, it may have been any", async () => {
  const { push, shown } = await queue();
  for (let number = 0; number < 51; number += 1) push("changed", { names: [["d", `n${number}`]] });
  push("changed", { topic: "u", names: [["d", "a"]] });
  push("changed", { topic: "u" });
  await pass(FRAME);
  assert.deepEqual(shown.map(({ data }) => data.names), [undefined, undefined]);
  for (let number = 0; number < 50; number += 1) push("changed", { names: [["d", `n${number}`]] });
  await pass(FRAME);
  assert.equal(shown[2].data.names.length, 50);
});

test("of what is listed again nothing else is shown", async () => {
  const { push, shown } = await queue();
  push("row", { uid: "a", version: "1" });
  push("row", { uid: "a", version: "1", topic: "u" });
  push("resync", {});
  push("row", { uid: "b", version: "1" });
  push("row", { uid: "b", version: "1", part: "rows" });
  await pass(FRAME);
  assert.deepEqual(shown.map(({ event, data }) => [event, data.topic, data.part]), [["row", "u", undefined], ["resync", "t", undefined], ["row", "t", "rows"]]);
});

test("a frame has its time: the rest comes with the next", async () => {
  const { push, shown } = await queue(() => busy(5));
  for (const uid of "abcde") push("row", { uid, version: "1" });
  await pass(FRAME);
  assert.equal(shown.length, 2);
  await pass(3 * FRAME);
  assert.equal(shown.length, 5);
});

test("a row that can't be shown keeps no other from it", async () => {
  const log = mock.method(console, "error", () => {});
  const { push, shown } = await queue(({ data }) => { if (data.uid === "a") throw new Error("broken"); });
  push("row", { uid: "a", version: "1" });
  push("row", { uid: "b", version: "1" });
  await pass(FRAME);
  assert.equal(shown.length, 2);
  assert.equal(log.mock.callCount(), 1);
  log.mock.restore();
});

test("while nobody looks nothing is shown; when too much waits, it is listed again", async () => {
  const { push, shown, document } = await queue();
  hide(document, true);
  for (let number = 0; number <= 1000; number += 1) push("row", { uid: `u${number}`, version: "1" });
  push("row", { uid: "late", version: "1" });
  await pass(1000);
  assert.equal(shown.length, 0);
  hide(document, false);
  await pass(FRAME);
  assert.deepEqual(shown.map(({ event, data }) => [event, data.topic]), [["resync", "t"]]);
});
