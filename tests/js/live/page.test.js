// live.js with all its parts: what a page does with what its stream tells it, event by event.
import assert from "node:assert/strict";
import { test } from "node:test";
import { emit, hide, pass } from "../page.js";
import { OTHER, Site, TOPIC } from "./site.js";

const SOON = 2500; // every list and region that was to be fetched is
const of = async (set) => { const site = new Site(set); await site.open(); return site; };

test("it asks for the rows that it shows, and again when it shows others", async () => {
  const site = await of();
  const [subscription] = site.subscriptions;
  // What is for the list only has a name of its own: the region's news of the same topic do not make it list again.
  assert.deepEqual(subscription.rows, [{ topic: `${TOPIC}?`, uids: ["a", "b", "c"], moves: false }]);
  assert.deepEqual(subscription.notices, [{ topic: TOPIC, names: ["watched"] }]);
  assert.equal(subscription.since, "1000-0@e");
  site.rows.set("d", [20, "new"]);
  await site.say("changed", { topic: TOPIC, version: "20", names: [["default", "d"]] });
  await pass(SOON);
  assert.equal(site.shown("d"), "new");
  assert.equal(site.subscriptions.length, 2);
  assert.deepEqual(site.subscriptions[1].rows[0].uids, ["a", "b", "c", "d"]);
  // From where the list was read, so that nothing between the two is lost.
  assert.equal(site.subscriptions[1].since, "5001-0@e");
  assert.equal(site.lists.at(-1)["X-Live-Version"], "20");
});

test("a list that changes all the time is neither fetched nor asked for all the time", async () => {
  const site = await of();
  for (let number = 0; number < 30; number += 1) {
    site.rows.set(`n${number}`, [20 + number, "new"]);
    await site.say("changed", { topic: TOPIC, version: String(20 + number) });
    await pass(100);
  }
  await pass(SOON);
  assert.equal(site.shown("n29"), "new");
  assert.ok(site.subscriptions.length <= 6, site.subscriptions.length);
  assert.ok(site.lists.length <= 6 && site.lists.length >= 2, site.lists.length);
});

test("a row that changes is laid over the one that is shown, with no list fetched", async () => {
  const site = await of();
  await site.tell("a", 11, "two");
  await pass(100);
  assert.equal(site.shown("a"), "two");
  await pass(SOON);
  assert.equal(site.lists.length, 0);
});

test("nothing older comes over what is shown", async () => {
  const site = await of();
  await site.tell("a", 100, "newest");
  await pass(100);
  await site.tell("a", 99, "older");
  await site.tell("b", 30, "other");
  await pass(100);
  assert.equal(site.shown("b"), "other");
  assert.equal(site.shown("a"), "newest");
  // A list that was read before: its other rows count, and it is asked for again.
  site.rows = new Map([["c", [12, "fine"]], ["a", [9, "stale"]], ["b", [30, "other"]]]);
  await site.say("added", { topic: TOPIC, uid: "x", name: "x", namespace: "default", version: "101" });
  await pass(200);
  assert.equal(site.shown("c"), "fine");
  assert.equal(site.shown("a"), "newest");
  site.rows.set("a", [102, "caught up"]);
  await pass(SOON);
  assert.equal(site.shown("a"), "caught up");
  assert.deepEqual(site.ids(), ["c", "a", "b"]);
});

test("a version of any length is a number", async () => {
  const site = await of();
  for (const [version, text] of [["99999999999999999999", "twenty digits"], ["100000000000000000000", "one more"], ["99999999999999999998", "before"]]) {
    await site.tell("a", version, text);
    await pass(100);
  }
  assert.equal(site.shown("a"), "one more");
});

test("what is gone is not brought back", async () => {
  const site = await of();
  await site.gone("a", 50);
  await pass(400);
  assert.equal(site.shown("a"), null);
  // The list was read before that.
  site.rows.set("c", [60, "first answer"]);
  await pass(SOON);
  assert.equal(site.shown("c"), "first answer");
  assert.equal(site.shown("a"), null);
  await site.tell("a", 49, "ghost");
  site.rows.delete("a");
  site.rows.set("c", [61, "second answer"]);
  await site.say("changed", { topic: TOPIC, version: "61" });
  await pass(SOON);
  assert.equal(site.shown("c"), "second answer");
  assert.equal(site.shown("a"), null);
});

test("a list that was read too early is read again", async () => {
  const site = await of({ version: "70" });
  await site.say("changed", { topic: TOPIC, version: "71" });
  await pass(SOON);
  assert.ok(site.lists.length >= 2);
  assert.equal(site.lists.at(-1)["X-Live-Version"], "71");
  site.version = "71";
  site.rows.set("b", [71, "here"]);
  await pass(SOON);
  assert.equal(site.shown("b"), "here");
  const asked = site.lists.length;
  await pass(20_000);
  assert.equal(site.lists.length, asked);
});

test("a cluster that was set back is believed in the end", async () => {
  const site = await of({ version: "70" });
  await site.say("changed", { topic: TOPIC, version: "71" });
  await pass(15_000);
  assert.equal(site.lists.at(-1)["X-Live-Version"], "71");
  await pass(20_000);
  assert.equal(site.lists.at(-1)["X-Live-Version"], undefined);
  const asked = site.lists.length;
  await pass(20_000);
  assert.ok(site.lists.length <= asked + 1);
});

test("a list that has to be read again is asked for no newer than the server says", async () => {
  const site = await of();
  await site.say("changed", { topic: TOPIC, version: "71" });
  await site.say("resync", { topic: TOPIC, version: "40" });
  await pass(SOON);
  assert.equal(site.lists.at(-1)["X-Live-Version"], "40");
});

test("news for a region do not make the list come again, nor the list's the region", async () => {
  const site = await of({ value: "one" });
  site.value = "two";
  await site.send(`event: changed\ndata: {"topic": "${TOPIC}", "version": "20"}\n\n`);
  await pass(SOON);
  assert.equal(site.page.$("#value").textContent, "two");
  assert.equal(site.lists.length, 0);
  const { regions } = site;
  site.rows.set("b", [22, "listed"]);
  await site.send(`event: changed\ndata: {"topic": "${TOPIC}?", "version": "22"}\n\n`);
  await pass(SOON);
  assert.equal(site.shown("b"), "listed");
  assert.equal(site.regions, regions);
});

test("a region hears only of the objects that it is about", async () => {
  const site = await of();
  await site.send(`event: changed\ndata: {"topic": "${TOPIC}", "version": "20", "names": [["default", "other"]]}\n\n`);
  await pass(SOON);
  assert.equal(site.regions, 0);
  await site.send(`event: changed\ndata: {"topic": "${TOPIC}", "version": "21", "names": [["default", "other"], ["default", "watched"]]}\n\n`);
  await pass(SOON);
  assert.equal(site.regions, 1);
});

test("a paused region waits, and updates at once when it resumes", async () => {
  const site = await of();
  site.page.$("#region").parentElement.setAttribute("data-live-paused", "");
  site.value = "two";
  await site.send(`event: changed\ndata: {"topic": "${TOPIC}", "version": "20"}\n\n`);
  await pass(SOON);
  assert.equal(site.page.$("#value").textContent, "one");
  site.page.$("#region").parentElement.removeAttribute("data-live-paused");
  emit(site.page.$("#region"), "live:resume");
  await pass(50);
  assert.equal(site.page.$("#value").textContent, "two");
});

test("a region that says how seldom it is fetched is fetched no oftener", async () => {
  const site = await of({ every: ' data-live-every="10000"' });
  for (let turn = 0; turn < 20; turn += 1) {
    await site.send(`event: changed\ndata: {"topic": "${TOPIC}", "version": "${20 + turn}"}\n\n`);
    await pass(500);
  }
  assert.ok(site.regions <= 2, site.regions);
});

test("an older console is asked by GET", async () => {
  const site = await of({ answers: { POST: 405 } });
  assert.deepEqual(site.methods.slice(0, 2), ["POST", "GET"]);
  assert.equal(site.subscriptions[0].topic, TOPIC);
  await site.tell("a", 20, "by get");
  // Rows that the page does not show are not laid anywhere.
  await site.tell("unknown", 21, "elsewhere");
  await pass(SOON);
  assert.equal(site.shown("a"), "by get");
  assert.equal(site.shown("unknown"), null);
  assert.equal(site.lists.length, 0);
});

test("thousands of events a second: the newest of each, a frame's worth at a time", async () => {
  const site = await of({ rows: new Map(Array.from({ length: 50 }, (_, number) => [`n${number}`, [1, "0"]])) });
  for (let version = 2; version < 2002; version += 1) site.tell(`n${version % 50}`, version, String(version));
  await pass(1000);
  assert.deepEqual([site.shown("n0"), site.shown("n49")], ["2000", "1999"]);
  assert.equal(site.lists.length, 0);
});

test("what a person does stays: ticks, focus, typed text, open details", async () => {
  const site = await of();
  site.page.$("#tick-a").checked = true;
  site.page.$("#row-b a").focus();
  await site.tell("a", 20, "two");
  await site.tell("b", 20, "two");
  await pass(100);
  assert.equal(site.shown("b"), "two");
  assert.equal(site.shown("a"), "two");
  assert.equal(site.page.$("#tick-a").checked, true);
  assert.equal(site.page.document.activeElement, site.page.$("#row-b a"));
  const typed = site.page.$("[name=typed]");
  typed.value = "mine";
  site.page.$("details").open = true;
  site.value = "two";
  await site.say("changed", { topic: TOPIC, version: "30", names: [["default", "watched"]] });
  await pass(SOON);
  assert.equal(site.page.$("#value").textContent, "two");
  assert.equal(site.page.$("[name=typed]").value, "mine");
  assert.equal(site.page.$("details").open, true);
});

test("the row under the focus goes: the focus is in its place", async () => {
  const site = await of();
  site.page.$("#row-b a").focus();
  await site.gone("b", 21);
  await pass(400);
  assert.equal(site.shown("b"), null);
  assert.equal(site.page.document.activeElement, site.page.$("#row-c a"));
});

test("selected text stays until it is not", async () => {
  const site = await of();
  site.page.document.getSelection().selectAllChildren(site.page.$("#row-a .value"));
  site.rows.set("a", [30, "two"]);
  site.rows.set("b", [30, "two"]);
  await site.tell("a", 30, "two");
  await site.tell("b", 30, "two");
  await pass(SOON);
  assert.equal(site.shown("b"), "two");
  assert.equal(site.shown("a"), "one");
  site.page.document.getSelection().removeAllRanges();
  emit(site.page.document, "selectionchange");
  await pass(SOON);
  assert.equal(site.shown("a"), "two");
});

test("an open menu stays and its list waits", async () => {
  const site = await of();
  site.page.$("#menu-c").setAttribute("data-popover-open", "");
  await site.tell("c", 30, "in place");
  await pass(100);
  assert.equal(site.shown("c"), "in place");
  site.rows = new Map([["c", [31, "moved"]], ["a", [10, "one"]]]);
  await site.say("changed", { topic: TOPIC, version: "31" });
  await pass(SOON);
  assert.deepEqual(site.ids(), ["a", "b", "c"]);
  site.page.$("#menu-c").removeAttribute("data-popover-open");
  const closed = Object.assign(new Event("toggle"), { newState: "closed" });
  site.page.$("#menu-c").dispatchEvent(closed);
  await pass(SOON);
  assert.deepEqual(site.ids(), ["c", "a"]);
  assert.equal(site.shown("c"), "moved");
});

test("what changed is marked for a moment, what goes is out of everybody's reach while it fades", async () => {
  const site = await of();
  await site.tell("a", 20, "two");
  await pass(100);
  const cell = site.page.$("#row-a .value");
  assert.equal(cell.getAttribute("data-live-mark"), "changed");
  assert.equal(site.page.$("#row-a td").hasAttribute("data-live-mark"), false);
  cell.dispatchEvent(Object.assign(new Event("animationend", { bubbles: true }), { animationName: "live-mark-x" }));
  assert.equal(cell.hasAttribute("data-live-mark"), false);
  site.rows.set("d", [22, "new"]);
  await site.say("added", { topic: TOPIC, uid: "d", name: "d", namespace: "default", version: "22" });
  await pass(200);
  assert.equal(site.page.$("#row-d").getAttribute("data-live-mark"), "new");
  await pass(2000);
  await site.gone("d", 23);
  await pass(50);
  const left = site.page.$("[data-live-leaving]");
  assert.equal(left.getAttribute("aria-hidden"), "true");
  assert.equal(left.inert, true);
  assert.equal(left.querySelector("input, [popover]"), null);
  site.rows.delete("d");
  await pass(400);
  assert.equal(site.page.$$("#rows tr").length, 3);
});

test("where very much changes, the page has changed, and not all of it is marked", async () => {
  const site = await of({ rows: new Map(Array.from({ length: 60 }, (_, number) => [`n${number}`, [1, "0"]])) });
  for (let number = 0; number < 60; number += 1) site.tell(`n${number}`, 2, "1");
  await pass(500);
  assert.equal(site.shown("n59"), "1");
  assert.equal(site.page.$$("[data-live-mark]").length, 40);
});

test("an object of a region that is no row of the list: the region is fetched, the list is not", async () => {
  const site = await of({ answers: { POST: 405 } });
  await site.say("row", { topic: TOPIC, uid: "other", name: "watched", namespace: "default", version: "20" });
  await pass(SOON);
  assert.deepEqual([site.regions, site.lists.length], [1, 0]);
});

test("without motion nothing is marked, and what goes is gone", async () => {
  const site = await of({ calm: true });
  await site.tell("a", 20, "two");
  await pass(100);
  assert.equal(site.shown("a"), "two");
  assert.equal(site.page.$("[data-live-mark]"), null);
  await site.gone("b", 21);
  await pass(50);
  assert.deepEqual(site.ids(), ["a", "c"]);
});

test("a list whose rows may move is fetched for every change of a row, others are not", async () => {
  const site = await of({ moves: true });
  assert.equal(site.subscriptions[0].rows[0].moves, true);
  site.rows = new Map([["b", [10, "one"]], ["a", [20, "two"]], ["c", [10, "one"]]]);
  await site.tell("a", 20, "two");
  await pass(SOON);
  assert.deepEqual(site.ids(), ["b", "a", "c"]);
});

test("only the page's own topics are laid over it", async () => {
  const site = await of();
  await site.tell("a", 20, "not this list's", OTHER);
  await pass(SOON);
  assert.equal(site.shown("a"), "one");
  assert.equal(site.lists.length, 0);
});

// What a page says when its stream stops, and what a hidden tab does.

test("what is paused is said until it goes on; what is paused elsewhere is not", async () => {
  const site = await of();
  await site.say("paused", { topic: TOPIC, message: "nobody may watch it" });
  assert.equal(site.banner, "configmaps paused: nobody may watch it");
  await site.say("resumed", { topic: TOPIC });
  assert.equal(site.banner, "");
  await site.say("paused", { topic: OTHER, message: "not this page's" });
  assert.equal(site.banner, "");
});

test("what a new connection does not say is paused, is not", async () => {
  const site = await of();
  await site.say("paused", { topic: TOPIC, message: "nobody may watch it" });
  await site.send(null);
  await pass(1200);
  assert.ok(site.subscriptions.length >= 2);
  assert.match(site.banner, /paused/);
  await pass(3500);
  assert.equal(site.banner, "");
});

test("a refusal is said and nobody asks again", async () => {
  const site = await of();
  await site.say("refused", { topic: TOPIC, message: "you may not", lasting: true });
  assert.equal(site.banner, "configmaps refused: you may not");
  assert.equal(site.page.$("[data-health-reload]").hidden, false);
  await pass(1000);
  await site.send(null);
  await pass(2000);
  assert.deepEqual([site.subscriptions.at(-1).rows, site.subscriptions.at(-1).notices], [[], []]);
});

test("a type that is gone is no trouble: the page loads its part again and says nothing", async () => {
  const site = await of();
  const before = site.lists.length;
  await site.say("refused", { topic: TOPIC, message: "the cluster serves no resource", lasting: true, gone: true });
  await pass(2000);
  assert.equal(site.banner, "");
  assert.ok(site.lists.length > before);
  await site.send(null);
  await pass(2000);
  assert.deepEqual([site.subscriptions.at(-1).rows, site.subscriptions.at(-1).notices], [[], []]);
});

test("what could not be asked is not said, and asked again soon", async () => {
  const site = await of();
  await site.say("refused", { topic: TOPIC, message: "no answer", lasting: false });
  assert.equal(site.banner, "");
  await pass(6000);
  assert.equal(site.subscriptions.length, 2);
  assert.deepEqual(site.subscriptions[1].rows[0].uids, ["a", "b", "c"]);
});

test("a whole refusal is the same", async () => {
  const site = await of({ answers: { POST: 403 }, refusal: "none of it" });
  assert.equal(site.banner, "configmaps refused: none of it");
  await pass(5000);
  assert.ok(site.methods.length <= 3);
});

test("an ended session is said and left alone", async () => {
  const site = await of();
  await site.say("ended", { message: "" });
  assert.equal(site.banner, "session ended");
  assert.equal(site.page.$("[data-health-reload]").hidden, false);
  const asked = site.methods.length;
  await pass(70_000);
  assert.equal(site.methods.length, asked);
});

test("who is not signed in is told the same", async () => {
  const site = await of({ answers: { POST: 401 } });
  assert.equal(site.banner, "session ended");
  await pass(20_000);
  assert.equal(site.methods.length, 1);
});

test("a lost stream is said when it lasts, and the banner goes by itself", async () => {
  const site = await of();
  await site.tell("a", 11, "x");
  site.answers.POST = 503;
  await site.send(null);
  await pass(1000);
  assert.equal(site.banner, "");
  await pass(9000);
  assert.equal(site.banner, "interrupted");
  delete site.answers.POST;
  await pass(10_000);
  assert.equal(site.banner, "");
  // From where it was heard last.
  assert.equal(site.subscriptions.at(-1).since, `${site.clock}-0@e`);
});

test("a part that is not well is said in its own words", async () => {
  const site = await of();
  await site.say("health", { part: "worker", ready: false, message: "no worker watches the cluster" });
  assert.equal(site.banner, "no worker watches the cluster");
  assert.equal(site.page.$("[data-health-reload]").hidden, true);
  await site.say("health", { part: "worker", ready: true });
  assert.equal(site.banner, "");
});

test("a hidden tab shows it when it is looked at", async () => {
  const site = await of();
  hide(site.page.document, true);
  for (let version = 20; version < 220; version += 1) site.tell("a", version, `version ${version}`);
  await site.tell("b", 2021, "last");
  await pass(1000);
  assert.equal(site.shown("a"), "one");
  hide(site.page.document, false);
  await pass(200);
  assert.equal(site.shown("a"), "version 219");
  assert.equal(site.shown("b"), "last");
});

test("a tab that nobody looks at lets its topics go and catches up", async () => {
  const site = await of();
  await site.tell("a", 20, "two");
  await pass(100);
  hide(site.page.document, true);
  await pass(59_000);
  assert.equal(site.connections.size, 1);
  await pass(2000);
  assert.equal(site.connections.size, 0);
  const heard = site.clock;
  hide(site.page.document, false);
  await pass(2000);
  assert.equal(site.connections.size, 1);
  assert.equal(site.subscriptions.at(-1).since, `${heard}-0@e`);
  assert.deepEqual(site.subscriptions.at(-1).rows[0].uids, ["a", "b", "c"]);
  await site.tell("a", 21, "three");
  await pass(100);
  assert.equal(site.shown("a"), "three");
});

test("too much for a hidden tab is listed again", async () => {
  const site = await of({ rows: new Map(Array.from({ length: 20 }, (_, number) => [`r${number}`, [1, "0"]])), moves: true });
  hide(site.page.document, true);
  site.rows = new Map([["r5", [5005, "listed"]]]);
  for (let number = 0; number < 1050; number += 1) site.say("added", { topic: TOPIC, uid: `x${number}`, name: "x", namespace: "default", version: String(5000 + number) });
  await pass(1000);
  assert.equal(site.shown("r5"), "0");
  hide(site.page.document, false);
  await pass(900);
  assert.equal(site.shown("r5"), "listed");
  assert.equal(site.lists.length, 1);
});

test("a page that is kept by the browser and shown again asks anew", async () => {
  const site = await of();
  await site.tell("a", 20, "two");
  dispatchEvent(new Event("pagehide"));
  await pass(100);
  assert.equal(site.connections.size, 0);
  const { clock } = site;
  dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
  await pass(2000);
  assert.equal(site.connections.size, 1);
  assert.equal(site.subscriptions.at(-1).since, `${clock}-0@e`);
});

test("what htmx brings is not older than what was shown, and is asked for", async () => {
  const site = new Site();
  await site.open({}, "live/guard.js", "live.js");
  await site.tell("a", 100, "newest");
  await pass(100);
  const [guard] = site.page.modules;
  const fresh = site.page.document.createElement("table");
  fresh.innerHTML = `<tbody><tr id="row-a" data-version="99"><td></td><td></td><td>older</td><td></td></tr></tbody>`;
  assert.equal(guard.mayMorph(site.page.$("#row-a"), fresh.querySelector("tr")), false);
  site.rows.set("a", [101, "caught up"]);
  emit(site.page.$("#rows"), "htmx:afterSettle", { xhr: { getResponseHeader: () => "6000-0@e" } });
  await pass(SOON);
  assert.equal(site.lists.length, 1);
  assert.equal(site.shown("a"), "caught up");
});

test("rows that htmx brought are asked for from where their answer was made", async () => {
  const site = await of();
  const fresh = Object.assign(site.page.document.createElement("tr"), { id: "row-z" });
  fresh.dataset.version = "12";
  site.page.$("#rows").append(fresh);
  emit(site.page.$("#rows"), "htmx:afterSettle", { xhr: { getResponseHeader: () => "4000-0@e" } });
  await pass(SOON);
  assert.deepEqual(site.subscriptions.at(-1).rows[0].uids, ["a", "b", "c", "z"]);
  assert.equal(site.subscriptions.at(-1).since, "4000-0@e");
});

test("ages tick once a second", async () => {
  const site = new Site();
  await site.open({ html: `${site.html()}<time data-age datetime="${new Date(Date.UTC(2026, 0, 2, 3, 4, 5) - 65_000).toISOString()}"></time>` });
  assert.equal(site.page.$("time").textContent, "66s");
  await pass(2000);
  assert.equal(site.page.$("time").textContent, "68s");
});
