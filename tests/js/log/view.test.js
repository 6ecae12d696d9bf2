// view.js, find.js and logs.js: a log that goes on is taken in a frame at a time, searched, filtered, paused and saved.
import assert from "node:assert/strict";
import { test } from "node:test";
import { click, FRAME, page, pageOf, pass, press, settled, type } from "../page.js";

async function view() {
  const shown = await page('<div id="log"></div>', "log/view.js");
  let told = 0;
  const made = new shown.module.View(shown.$("#log"), () => { told += 1; });
  const texts = () => shown.$$(".log-piece > div").map((line) => line.textContent);
  return { ...shown, view: made, texts, told: () => told };
}

test("lines are shown with the next frame, each on its own", async () => {
  const { view: log, texts, told } = await view();
  log.add("one\ntwo");
  log.add("three", "web");
  assert.deepEqual(texts(), []);
  await pass(FRAME);
  assert.deepEqual(texts(), ["one", "two", "web three"]);
  assert.ok(told() > 0);
});

test("a new beginning takes the place of what was there", async () => {
  const { view: log, texts } = await view();
  log.add("old");
  await pass(FRAME);
  log.clear();
  log.add("new");
  await pass(FRAME);
  assert.deepEqual(texts(), ["new"]);
  assert.equal(log.epoch, 1);
});

test("only the pieces at the end, and those that are looked at, have elements", async () => {
  const { view: log, $$, observers } = await view();
  log.add(Array.from({ length: 1000 }, (_, number) => `line ${number}`).join("\n"));
  await pass(FRAME);
  assert.equal($$(".log-piece").length, 5);
  assert.deepEqual(log.pieces.map((piece) => piece.filled), [false, false, false, true, true]);
  assert.notEqual(log.pieces[0].node.style.blockSize, "");
  const [observer] = observers;
  observer.call([{ target: log.pieces[0].node, isIntersecting: true, boundingClientRect: { height: 10 } }]);
  assert.equal(log.pieces[0].node.children.length, 200);
  assert.equal(log.pieces[0].node.children[7].textContent, "line 7");
  document.getSelection().removeAllRanges();
  observer.call([{ target: log.pieces[0].node, isIntersecting: false, boundingClientRect: { height: 321 } }]);
  assert.equal(log.pieces[0].node.children.length, 0);
  assert.equal(log.pieces[0].node.style.blockSize, "321px");
});

test("of a hundred thousand lines the oldest go; much at once is taken in by frames", async () => {
  const { view: log, told } = await view();
  log.add(Array.from({ length: 50_000 }, (_, number) => `a${number}`).join("\n"));
  await pass(FRAME);
  assert.equal(log.lines.length, 20_000);
  await pass(3 * FRAME);
  assert.equal(log.lines.length, 50_000);
  log.add(Array.from({ length: 60_000 }, (_, number) => `b${number}`).join("\n"));
  await pass(5 * FRAME);
  assert.equal(log.lines.length, 100_000);
  assert.equal(log.dropped, 10_000);
  assert.equal(log.trimmed, 10_000);
  assert.equal(log.lines[0].text, "a10000");
  assert.equal(log.pieces[0].lines[0].text, "a10000");
  assert.ok(told());
});

test("what comes quicker than it can be shown is not kept", async () => {
  const { view: log } = await view();
  log.clear();
  log.add(Array.from({ length: 130_000 }, (_, number) => `x${number}`).join("\n"));
  await pass(10 * FRAME);
  assert.equal(log.lines.length, 100_000);
  assert.equal(log.lines.at(-1).text, "x129999");
  assert.equal(log.epoch, 1);
});

test("lines that could not be kept are counted", async () => {
  const { view: log } = await view();
  log.add(Array.from({ length: 130_000 }, (_, number) => `x${number}`).join("\n"));
  await pass(10 * FRAME);
  assert.equal(log.dropped, 30_000);
});

test("other lines are shown in their order; each source has its colour", async () => {
  const { view: log, texts, $$ } = await view();
  for (const [text, source] of [["a1", "a"], ["b1", "b"], ["a2", "a"]]) log.add(text, source);
  await pass(FRAME);
  log.show((line) => line.source === "a");
  assert.deepEqual(texts(), ["a a1", "a a2"]);
  log.show(() => true);
  assert.deepEqual(texts(), ["a a1", "b b1", "a a2"]);
  assert.deepEqual($$(".console-log-source").map((name) => name.className.split(" ")[1]), ["console-log-source-0", "console-log-source-1", "console-log-source-0"]);
  assert.equal(log.item(log.lines[1]).dataset.source, "b");
});

// Finding.

async function find() {
  const shown = await pageOf({ html: '<div id="log"></div><input id="field"><span id="count"></span><input id="only" type="checkbox">' }, "log/view.js", "log/find.js");
  const log = new shown.modules[0].View(shown.$("#log"), () => found.more());
  const found = new shown.modules[1].Find(log, { field: shown.$("#field"), count: shown.$("#count"), only: shown.$("#only") });
  found.changed = () => log.show((line) => found.passes(line));
  log.shows = (line) => found.passes(line);
  log.add("Apple\nbanana\napple pie\ncherry");
  await pass(FRAME);
  const search = async (text) => { type(shown.$("#field"), text); await pass(150); };
  return { ...shown, log, found, search, count: () => shown.$("#count").textContent, current: () => shown.$(".log-current")?.textContent ?? null };
}

test("it counts the lines that have it, in whichever case, and shows the last", async () => {
  const shown = await find();
  await shown.search("apple");
  assert.equal(shown.count(), "2 / 2");
  assert.equal(shown.current(), "apple pie");
  await shown.search("nothing");
  assert.equal(shown.count(), "0");
  assert.equal(shown.current(), null);
  await shown.search("");
  assert.equal(shown.count(), "");
});

test("Enter goes to the next, Shift-Enter to the one before, round and round", async () => {
  const shown = await find();
  await shown.search("apple");
  const go = (shiftKey) => { press(shown.$("#field"), "Enter", { shiftKey }); return shown.count(); };
  assert.equal(go(false), "1 / 2");
  assert.equal(shown.current(), "Apple");
  assert.equal(go(false), "2 / 2");
  assert.equal(go(true), "1 / 2");
  assert.equal(go(true), "2 / 2");
  assert.equal(shown.log.following, false);
  // Enter before the search has begun begins it.
  type(shown.$("#field"), "cherry");
  assert.equal(go(false), "1 / 1");
});

test("lines that come are counted, and the place among them stays", async () => {
  const shown = await find();
  await shown.search("apple");
  shown.log.add("another apple\nnot this", "");
  await pass(FRAME);
  assert.equal(shown.count(), "2 / 3");
  shown.log.add("x", "apple-pod");
  await pass(FRAME);
  assert.equal(shown.count(), "2 / 4");
});

test("only what has it is shown, if somebody wants that, what comes later too", async () => {
  const shown = await find();
  shown.$("#only").checked = true;
  await shown.search("apple");
  const texts = () => shown.$$(".log-piece > div").map((line) => line.textContent);
  assert.deepEqual(texts(), ["Apple", "apple pie"]);
  assert.equal(shown.count(), "2");
  shown.log.add("grape\npineapple");
  await pass(FRAME);
  assert.deepEqual(texts(), ["Apple", "apple pie", "pineapple"]);
  shown.$("#only").checked = false;
  shown.$("#only").dispatchEvent(new Event("change"));
  assert.equal(texts().length, 6);
});

test("what was found in lines that are gone is found no more", async () => {
  const shown = await find();
  await shown.search("apple");
  shown.log.add(Array.from({ length: 100_000 }, () => "x").join("\n"));
  await pass(10 * FRAME);
  assert.equal(shown.log.trimmed, 4);
  assert.equal(shown.count(), "0");
});

test("a log that begins anew is counted anew", async () => {
  const shown = await find();
  await shown.search("apple");
  shown.log.clear();
  shown.log.add("an apple");
  await pass(FRAME);
  assert.equal(shown.count(), "1");
});

// The page.

const PAGE = `<div data-log-panel><form data-log-form><input type="checkbox" name="previous"></form><input data-log-search><span data-log-found></span><input type="checkbox" data-log-only>
  <button data-log-next></button><button data-log-before></button><button data-log-end></button><button data-log-full hidden></button><button data-log-pause data-text-pause="Pause" data-text-resume="Resume">Pause</button>
  <input type="checkbox" data-log-wrap checked><button data-log-save="web.log"></button><span data-log-state data-text-following="Following" data-text-lost="Lost" data-text-paused="Paused" data-text-ended="Ended"></span>
  <span data-log-count data-text="%d lines" data-dropped="%d dropped"></span><div data-log-sources></div><div id="log" data-follow="/logs/follow">MADE</div></div>`;

async function logs(made = "") {
  const sources = [];
  const shown = await pageOf({ html: PAGE.replace("MADE", made), before: () => {
    globalThis.EventSource = class { constructor(url) { this.url = url; this.calls = {}; this.closed = false; sources.push(this); } addEventListener(name, call) { this.calls[name] = call; } close() { this.closed = true; } say(name, data) { this.calls[name]({ data: JSON.stringify(data) }); } };
  } }, "logs.js");
  const part = (name) => shown.$(`[data-log-${name}]`);
  return { ...shown, sources, part, texts: () => shown.$$(".log-piece > div").map((line) => line.textContent), open: () => { sources.at(-1).onopen(); return settled(); } };
}

test("it goes on from what the page was made with, and each connection begins anew", async () => {
  const shown = await logs('<div data-source="web"><span>web</span> first line</div>');
  await pass(FRAME);
  assert.deepEqual(shown.texts(), ["web first line"]);
  await shown.open();
  assert.equal(shown.part("state").textContent, "Following");
  shown.sources[0].say("lines", { text: "first line\nsecond", source: "web" });
  shown.sources[0].say("lines", { text: "third", source: "db" });
  await pass(FRAME);
  assert.deepEqual(shown.texts(), ["web first line", "web second", "db third"]);
  assert.equal(shown.part("count").textContent, "3 lines");
  shown.sources[0].onerror();
  assert.equal(shown.part("state").textContent, "Lost");
  await shown.open();
  shown.sources[0].say("lines", { text: "again", source: "web" });
  await pass(FRAME);
  assert.deepEqual(shown.texts(), ["web again"]);
});

test("sources are offered as they come, and hidden by their box", async () => {
  const shown = await logs();
  await shown.open();
  shown.sources[0].say("sources", { sources: ["web", "db"] });
  shown.sources[0].say("sources", { sources: ["db", "late"] });
  const boxes = [...shown.part("sources").querySelectorAll("input")];
  assert.deepEqual(boxes.map((box) => box.value), ["web", "db", "late"]);
  shown.sources[0].say("lines", { text: "a", source: "web" });
  shown.sources[0].say("lines", { text: "b", source: "db" });
  await pass(FRAME);
  const tick = (box, on) => { box.checked = on; box.dispatchEvent(new Event("change", { bubbles: true })); };
  tick(boxes[0], false);
  assert.deepEqual(shown.texts(), ["db b"]);
  tick(boxes[0], true);
  assert.deepEqual(shown.texts(), ["web a", "db b"]);
});

test("paused it asks for nothing, and goes on by a new connection", async () => {
  const shown = await logs();
  await shown.open();
  click(shown.part("pause"));
  assert.equal(shown.sources[0].closed, true);
  assert.deepEqual([shown.part("state").textContent, shown.part("pause").textContent], ["Paused", "Resume"]);
  click(shown.part("pause"));
  assert.equal(shown.sources.length, 2);
  assert.equal(shown.part("pause").textContent, "Pause");
});

test("its end is said, and it is not asked for again", async () => {
  const shown = await logs();
  await shown.open();
  shown.sources[0].say("end", { message: "" });
  assert.equal(shown.part("state").textContent, "Ended");
  assert.equal(shown.sources[0].closed, true);
  dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
  assert.equal(shown.sources.length, 1);
});

test("a page that is kept by the browser lets it go, and takes it up when it is shown", async () => {
  const shown = await logs();
  dispatchEvent(new Event("pagehide"));
  assert.equal(shown.sources[0].closed, true);
  dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
  assert.equal(shown.sources.length, 2);
});

test("what is saved is what is shown, under the log's name", async () => {
  const shown = await logs();
  await shown.open();
  shown.sources[0].say("lines", { text: "\u001b[31mred\u001b[0m\nplain", source: "" });
  await pass(FRAME);
  const saved = [];
  URL.createObjectURL = (blob) => { saved.push(blob); return "blob:x"; };
  URL.revokeObjectURL = () => {};
  let name = "";
  shown.document.addEventListener("click", (event) => { if (event.target.download) name = event.target.download; }, true);
  const { click: real } = window.HTMLAnchorElement.prototype;
  window.HTMLAnchorElement.prototype.click = function go() { name = this.download; };
  click(shown.part("save"));
  window.HTMLAnchorElement.prototype.click = real;
  assert.equal(await saved[0].text(), "red\nplain\n");
  assert.equal(name, "web.log");
});
