// live/arrivals.js: rows that wait while the focus is in the list.
import assert from "node:assert/strict";
import { test } from "node:test";
import { click, pass } from "../page.js";
import { Site } from "./site.js";

const WAIT = 3000;

async function comes(site, uid, first = false) {
  site.rows = new Map(first ? [[uid, [20, "new"]], ...site.rows] : [...site.rows, [uid, [20, "new"]]]);
  await site.say("added", { topic: site.topic, uid, name: uid, namespace: "default", version: "20" });
  await pass(WAIT);
}

test("while the focus is in the list a new row waits behind a button that counts it; present rows stay live", async () => {
  const site = new Site({ waits: true });
  const { $ } = await site.open();
  $("#row-b a").focus();
  await comes(site, "d", true);
  await comes(site, "e");
  assert.deepEqual(site.ids(), ["a", "b", "c"]);
  assert.deepEqual([$("[data-live-new]").hidden, $("[data-live-new]").textContent], [false, "2 new"]);
  assert.equal($("#count").textContent, "5", "how many there are is told at once");
  await site.tell("c", 30, "two");
  await pass(100);
  assert.equal(site.shown("c"), "two");
  click($("[data-live-new]"));
  await pass(WAIT);
  assert.deepEqual(site.ids(), ["d", "a", "b", "c", "e"]);
  assert.equal($("[data-live-new]").hidden, true);
});

test("what waits is shown as soon as the focus leaves the list", async () => {
  const site = new Site({ waits: true });
  const { $ } = await site.open();
  $("#row-b a").focus();
  await comes(site, "d", true);
  assert.deepEqual(site.ids(), ["a", "b", "c"]);
  $("#row-b a").blur();
  await pass(WAIT);
  assert.deepEqual(site.ids(), ["d", "a", "b", "c"]);
});

test("rows that would change places stay where they are meanwhile", async () => {
  const site = new Site({ waits: true, moves: true });
  const { $ } = await site.open();
  $("#row-b a").focus();
  site.rows = new Map([["c", [20, "two"]], ["a", [10, "one"]], ["b", [10, "one"]]]);
  await site.tell("c", 20, "two");
  await pass(WAIT);
  assert.deepEqual([site.ids(), site.shown("c")], [["a", "b", "c"], "two"]);
  $("#row-b a").blur();
  await pass(WAIT);
  assert.deepEqual(site.ids(), ["c", "a", "b"]);
});

test("without the focus in it, and in a list without the button, rows come at once", async () => {
  const calm = new Site({ waits: true });
  await calm.open();
  await comes(calm, "d", true);
  assert.deepEqual(calm.ids(), ["d", "a", "b", "c"]);
  const other = new Site();
  const { $ } = await other.open();
  $("#row-b a").focus();
  await comes(other, "d", true);
  assert.deepEqual(other.ids(), ["d", "a", "b", "c"]);
});
