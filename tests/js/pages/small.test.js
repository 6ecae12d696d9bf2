// The small scripts of pages: pairs, list, values, search, events, settings, apply, rowmenu, types, keyboard/rows, frame/empties, frame/scroll.
import assert from "node:assert/strict";
import { test } from "node:test";
import { choose, click, emit, hide, page, pageOf, pass, press, settled, type } from "../page.js";

// pairs.js

const PAIR = '<div data-pair><input name="key" value="K" aria-invalid="true"><textarea name="value">V</textarea><p class="pair-error">no</p><button type="button" data-pair-remove>x</button></div>';
const PAIRS = `<div data-pairs>${PAIR}<button data-pair-add>Add</button></div>`;

test("pairs: one more is empty and has the focus, one less goes, the last is emptied", async () => {
  const { $, $$, document } = await page(PAIRS, "pairs.js");
  assert.equal(click($("[data-pair-add]")), false);
  assert.equal($$("[data-pair]").length, 2);
  const [first, second] = $$("[data-pair]");
  assert.deepEqual([...second.querySelectorAll("input, textarea")].map((field) => field.value), ["", ""]);
  assert.equal(second.querySelector(".pair-error, [aria-invalid]"), null);
  assert.equal(document.activeElement, second.querySelector("input"));
  assert.deepEqual([...first.querySelectorAll("input, textarea")].map((field) => field.value), ["K", "V"]);
  click(first.querySelector("[data-pair-remove]"));
  assert.deepEqual($$("[data-pair]"), [second]);
  second.querySelector("input").value = "x";
  click(second.querySelector("[data-pair-remove]"));
  assert.equal($$("[data-pair]").length, 1);
  assert.equal(second.querySelector("input").value, "");
});

// list.js

const box = (name) => `<tr id="row-${name}"><td class="list-tick"><input type="checkbox" form="bulk" name="chosen" value="${name}/shop/${name}"></td>
  <td><a class="list-link" href="/o/${name}/">${name}</a></td><td class="list-actions"></td></tr>`;
const LIST = `<main id="main"><button data-live-new="rows" data-text="{n} new" hidden></button><form id="bulk"><span data-ticked data-text="{n} selected" data-all="All of them"></span>
  <button name="action">Delete</button><button type="reset" data-clear hidden></button><button type="button" data-copy-names hidden></button></form>
  <input type="checkbox" data-tick-all><input type="checkbox" form="bulk" name="all"><table><tbody id="rows" data-live-rows="t">${["a", "b", "c", "d"].map(box).join("")}</tbody></table>
  <template id="row-tools"><span data-row-tools><a data-to="logs/" href="#">Logs</a><button data-peek>Peek</button></span></template><aside id="peek" hidden></aside></main>`;

test("list: ticks are counted, all at once, and rows that come are counted too", async () => {
  const { $, $$ } = await page(LIST, "list.js");
  const state = () => [$("[data-ticked]").textContent, $("[name=action]").disabled, $("[data-tick-all]").checked, $("[data-tick-all]").indeterminate];
  const [one, two, three, four] = $$("[name=chosen]");
  assert.deepEqual(state(), ["", true, false, false]);
  choose(one, true);
  assert.deepEqual(state(), ["1 selected", false, false, true]);
  for (const other of [two, three, four]) choose(other, true);
  assert.deepEqual(state(), ["4 selected", false, true, false]);
  const row = document.createElement("tr");
  row.innerHTML = '<td><input type="checkbox" form="bulk" name="chosen"></td>';
  $("#rows").append(row);
  await settled();
  assert.deepEqual(state(), ["4 selected", false, false, true]);
  choose($("[data-tick-all]"), true);
  assert.deepEqual(state(), ["5 selected", false, true, false]);
  choose($("[data-tick-all]"), false);
  assert.deepEqual(state(), ["", true, false, false]);
  choose($("[name=all]"), true);
  assert.deepEqual(state().slice(0, 2), ["All of them", false]);
  click($("[data-clear]"));
  assert.deepEqual(state(), ["", true, false, false]);
});

test("list: j and k go from row to row, x selects and with Shift a range, Escape clears", async () => {
  const { $, $$ } = await page(LIST, "list.js");
  const at = () => document.activeElement.textContent;
  const ticked = () => $$("[name=chosen]:checked").length;
  press(document.body, "j");
  assert.equal(at(), "a");
  press(document.activeElement, "j");
  assert.equal(at(), "b");
  press(document.activeElement, "x");
  press(document.activeElement, "j");
  press(document.activeElement, "j");
  press(document.activeElement, "j");
  assert.equal(at(), "d");
  press(document.activeElement, "X", { shiftKey: true });
  assert.equal(ticked(), 3);
  press(document.activeElement, "k");
  assert.equal(at(), "c");
  press(document.activeElement, "Escape");
  assert.equal(ticked(), 0);
  press(document.activeElement, "j", { ctrlKey: true });
  assert.equal(at(), "c");
  const field = document.createElement("input");
  $("#main").append(field);
  field.focus();
  assert.equal(press(field, "j").defaultPrevented, false);
});

test("list: the tools stand in the row that is worked in, and lead to its object", async () => {
  const { $ } = await page(LIST, "list.js");
  $("#row-b a").focus();
  assert.equal($("#row-b [data-to]").getAttribute("href"), "/o/b/logs/");
  $("#row-c a").focus();
  assert.equal($("#row-b [data-row-tools]"), null);
  assert.equal($("#row-c [data-to]").getAttribute("href"), "/o/c/logs/");
});

test("list: Space peeks, the next row is peeked with j, Escape closes", async () => {
  const asked = [];
  const answer = ({ url }) => { asked.push(new URL(url).pathname + new URL(url).search); return { text: "<p>what it does</p>" }; };
  const { $ } = await pageOf({ html: LIST, answer }, "list.js");
  $("#row-a a").focus();
  assert.equal(press(document.activeElement, " ").defaultPrevented, true);
  await settled();
  assert.deepEqual([asked.at(-1), $("#peek").hidden, $("#peek").textContent], ["/o/a/?part=peek", false, "what it does"]);
  assert.ok($("#row-a").hasAttribute("data-peeked"));
  press(document.activeElement, "j");
  await settled();
  assert.equal(asked.at(-1), "/o/b/?part=peek");
  press(document.activeElement, "Escape");
  assert.equal($("#peek").hidden, true);
  // On a box the space bar is the box's.
  assert.equal(press($("#row-a input"), " ").defaultPrevented, false);
});

// values.js

const field = (path, title, value, inside = "") => (inside
  ? `<li><details><summary><span class="resource-key" data-path="${path}" title="${title}">${path.split(".").at(-1)}</span></summary><ul>${inside}</ul></details></li>`
  : `<li><span class="resource-key" data-path="${path}" title="${title}">${path.split(".").at(-1)}</span> <span class="resource-value">${value}</span></li>`);
const VALUES = `<div id="values"><div data-values-tools hidden><input id="values-q"><span data-values-count data-text="Found:"></span><button data-values-do="open">Open</button><button data-values-do="close">Close</button>
  <button data-values-do="copy" data-done="Copied">Copy</button></div><div data-values-told hidden><code></code><span></span></div>
  <ul class="resource-tree">${field(".spec", "the desired state", "", `${field(".spec.image", "Container image name", "example.com/web:1")}${field(".spec.replicas", "how many", "2")}`)}${field(".kind", "what", "Pod")}</ul></div>`;

test("values: fields are searched by key and value, what is around them opens", async () => {
  const { $, $$ } = await page(VALUES, "values.js");
  assert.equal($("[data-values-tools]").hidden, false);
  const left = () => $$("li").filter((item) => !item.hasAttribute("data-unmatched")).map((item) => item.querySelector("[data-path]").dataset.path);
  type($("#values-q"), "EXAMPLE.com");
  assert.deepEqual(left(), [".spec", ".spec.image"]);
  assert.equal($("details").open, true);
  assert.equal($("[data-values-count]").textContent, "Found: 1");
  type($("#values-q"), "spec");
  assert.deepEqual(left(), [".spec", ".spec.image", ".spec.replicas"]);
  type($("#values-q"), "");
  assert.equal(left().length, 4);
  assert.equal($("[data-values-count]").textContent, "");
});

test("values: a field is told with its path and meaning, and a live update leaves search and choice", async () => {
  const { $, $$ } = await page(VALUES, "values.js");
  type($("#values-q"), "image");
  click($("[data-path='.spec.image']"));
  const told = () => [$("[data-values-told]").hidden, $("[data-values-told] code").textContent, $("[data-values-told]").lastElementChild.textContent];
  assert.deepEqual(told(), [false, ".spec.image", "Container image name"]);
  assert.equal($$("[data-chosen]").length, 1);
  $("#values").innerHTML = VALUES.slice(VALUES.indexOf(">") + 1, -"</div>".length);
  await settled();
  assert.deepEqual(told(), [false, ".spec.image", "Container image name"]);
  assert.ok($("[data-path='.spec.replicas']").closest("li").hasAttribute("data-unmatched"));
});

test("values: arrow keys walk over what is seen; all is folded and unfolded; a path is copied", async () => {
  const { $, document } = await page(VALUES.replaceAll("<li>", '<li class="resource-branch">'), "values.js");
  const copied = [];
  Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { copied.push(text); } }, configurable: true });
  const key = (path) => $(`[data-path='${path}']`);
  $("summary").focus();
  press($("summary"), "ArrowDown");
  assert.equal(document.activeElement, key(".spec.image"));
  press(document.activeElement, "ArrowDown");
  press(document.activeElement, "ArrowDown");
  assert.equal(document.activeElement, key(".kind"));
  assert.equal(press(document.activeElement, "ArrowDown").defaultPrevented, false);
  press(document.activeElement, "ArrowUp");
  assert.equal(document.activeElement, key(".spec.replicas"));
  click($("[data-values-do=copy]"));
  await settled();
  assert.deepEqual(copied, [".spec.replicas"]);
  assert.equal($("[data-values-do=copy]").textContent, "Copied");
  await pass(1600);
  assert.equal($("[data-values-do=copy]").textContent, "Copy");
  click($("[data-values-do=open]"));
  assert.equal($("details").open, true);
  click($("[data-values-do=close]"));
  assert.equal($("details").open, false);
});

// search.js

test("search: what was searched for lately, without what was typed on the way", async () => {
  const open = (q, before) => pageOf({ html: '<input name="namespace" value="shop"><p data-searches hidden><b>Lately</b></p>', url: `http://console.test/resources/search/${q ? `?q=${q}` : ""}`, before: ({ window }) => { if (before) window.localStorage.setItem("console-searches", JSON.stringify(before)); } }, "search.js");
  const kept = () => JSON.parse(localStorage.getItem("console-searches"));
  await open("web", ["we", "w", "db", "web"]);
  assert.deepEqual(kept(), ["web", "db"]);
  const { $, $$ } = await open("", ["a", "b"]);
  assert.deepEqual($$("[data-searches] a").map((link) => [link.textContent, link.getAttribute("href")]), [["a", "http://console.test/resources/search/?namespace=shop&q=a"], ["b", "http://console.test/resources/search/?namespace=shop&q=b"]]);
  assert.equal($("[data-searches]").hidden, false);
  await open("new", Array.from({ length: 8 }, (_, number) => `x${number}`));
  assert.equal(kept().length, 8);
  assert.equal(kept()[0], "new");
});

// events.js and settings.js

test("events: the stream stands still until it is let go", async () => {
  const { $ } = await page('<button data-events-pause data-text-pause="Pause" data-text-resume="Follow" hidden>Pause</button><div><section id="event-stream" data-live="t"></section></div>', "events.js");
  let resumed = 0;
  document.addEventListener("live:resume", () => { resumed += 1; });
  assert.equal($("button").hidden, false);
  click($("button"));
  assert.deepEqual([$("button").textContent, $("div").hasAttribute("data-live-paused"), resumed], ["Follow", true, 0]);
  click($("button"));
  assert.deepEqual([$("button").textContent, $("div").hasAttribute("data-live-paused"), resumed], ["Pause", false, 1]);
});

test("settings: one less, one more, never below none", async () => {
  const { $ } = await page('<p><button data-step="-1">-</button><input value="1"><button data-step="1">+</button></p>', "settings.js");
  const step = (by) => { click($(`[data-step="${by}"]`)); return $("input").value; };
  assert.deepEqual([step(1), step(-1), step(-1), step(-1)], ["2", "1", "0", "0"]);
  $("input").value = "x";
  assert.equal(step(1), "1");
});

// apply.js

const DROP = '<form data-drop="text" data-text-large="Too large"><input type="file" name="files"><span data-editor-state></span><textarea id="text">first: 1\n</textarea></form>';
const file = (name, text, size = text.length) => ({ name, size, text: async () => text });

test("apply: files stand behind what is there, each under its name", async () => {
  const { $ } = await page(DROP, "apply.js");
  let told = [];
  for (const name of ["console:set", "input"]) $("#text").addEventListener(name, () => told.push(name));
  const drop = Object.assign(new Event("drop", { bubbles: true, cancelable: true }), { dataTransfer: { types: ["Files"], files: [file("a.yaml", "a: 1\n\n"), file("b.yaml", "b: 2")] } });
  $("#text").dispatchEvent(drop);
  await settled();
  assert.equal($("#text").value, "first: 1\n---\n# a.yaml\na: 1\n---\n# b.yaml\nb: 2\n");
  assert.deepEqual(told, ["console:set", "input"]);
  assert.ok(drop.defaultPrevented);
  told = [];
  Object.defineProperty($("input"), "files", { value: [file("c.yaml", "c", 5 * 1024 * 1024)], configurable: true });
  $("input").dispatchEvent(new Event("change"));
  await settled();
  assert.equal($("[data-editor-state]").textContent, "Too large");
  assert.deepEqual(told, []);
});

test("apply: what is dragged over is shown, other drops are the browser's", async () => {
  const { $ } = await page(DROP, "apply.js");
  const over = (types) => { const event = Object.assign(new Event("dragover", { bubbles: true, cancelable: true }), { dataTransfer: { types } }); $("form").dispatchEvent(event); return event.defaultPrevented; };
  assert.equal(over(["text/plain"]), false);
  assert.equal(over(["Files"]), true);
  assert.ok("dropping" in $("form").dataset);
  $("form").dispatchEvent(Object.assign(new Event("dragleave", { bubbles: true }), { relatedTarget: document.body }));
  assert.ok(!("dropping" in $("form").dataset));
});

// rowmenu.js

test("rowmenu: its actions are asked for when it is opened; up and down go round", async () => {
  let answer = { text: '<li><a href="#1">Edit</a></li><li><a href="#2">Delete</a></li>' };
  const { $, $$, requests } = await pageOf({ html: '<button popovertarget="m">menu</button><ul id="m" class="resource-menu" data-row-menu="/menu/" aria-busy="true"><li>Loading</li></ul>', answer: () => answer }, "rowmenu.js");
  const open = async () => { $("#m").dispatchEvent(Object.assign(new Event("toggle"), { newState: "open" })); await settled(); };
  await open();
  assert.equal(requests.length, 1);
  assert.equal($("#m").hasAttribute("aria-busy"), false);
  const [first, second] = $$("#m a");
  assert.equal(document.activeElement, first);
  press(first, "ArrowDown");
  assert.equal(document.activeElement, second);
  press(second, "ArrowDown");
  assert.equal(document.activeElement, first);
  press(first, "ArrowUp");
  assert.equal(document.activeElement, second);
  $("#m").dispatchEvent(Object.assign(new Event("toggle"), { newState: "closed" }));
  answer = { status: 403 };
  await open();
  assert.equal(requests.length, 2);
  assert.match($("#m .resource-refused").textContent, /^403/);
});

// types.js

test("types: groups in view are asked for, again every some seconds, and never while nobody looks", async () => {
  const { $, observers } = await page('<main id="main"><section id="one" data-counted></section><section id="two" data-counted></section></main>', "types.js");
  if (document.readyState !== "complete") dispatchEvent(new Event("load"));
  await settled();
  const asked = [];
  for (const id of ["one", "two"]) $(`#${id}`).addEventListener("console:count", () => asked.push(id));
  const [observer] = observers;
  assert.equal(observer.seen.size, 2);
  observer.call([{ target: $("#one"), isIntersecting: true }, { target: $("#two"), isIntersecting: false }]);
  assert.deepEqual(asked, ["one"]);
  observer.call([{ target: $("#one"), isIntersecting: true }]);
  assert.deepEqual(asked, ["one"]);
  await pass(15_000);
  assert.deepEqual(asked, ["one", "one"]);
  hide(document, true);
  await pass(30_000);
  assert.equal(asked.length, 2);
  hide(document, false);
  assert.equal(asked.length, 3);
  observer.call([{ target: $("#one"), isIntersecting: false }]);
  await pass(30_000);
  assert.equal(asked.length, 3);
});

// keyboard/rows.js

const TABLE = `<table><thead><tr><th><a href="#h">head</a></th></tr></thead><tbody>${["a", "b", "c"].map((name) => `<tr id="${name}"><td><input type="checkbox"></td><td><a href="#${name}">${name}</a></td><td>${name === "b" ? "" : "<button>act</button>"}</td></tr>`).join("")}
  <tr id="gone" hidden><td><a href="#x">x</a></td></tr></tbody></table><table data-tree><tbody><tr><td><a href="#t">t</a></td></tr></tbody></table>`;

test("rows by arrow keys: the same cell of the row below, or its link; the ends stay", async () => {
  const { $, document } = await page(TABLE, "keyboard/rows.js");
  const go = (key, more) => { press(document.activeElement, key, more); return [document.activeElement.tagName, document.activeElement.closest("tr").id]; };
  $("#a input").focus();
  assert.deepEqual(go("ArrowDown"), ["INPUT", "b"]);
  assert.deepEqual(go("End"), ["INPUT", "c"]);
  assert.deepEqual(go("ArrowDown"), ["INPUT", "c"]);
  assert.deepEqual(go("Home"), ["INPUT", "a"]);
  assert.deepEqual(go("ArrowUp"), ["INPUT", "a"]);
  $("#a button").focus();
  assert.deepEqual(go("ArrowDown"), ["A", "b"]);
  assert.deepEqual(go("ArrowDown", { ctrlKey: true }), ["A", "b"]);
  $("[data-tree] a").focus();
  assert.equal(press($("[data-tree] a"), "ArrowDown").defaultPrevented, false);
  assert.equal(press($("thead a"), "ArrowDown").defaultPrevented, false);
});

// frame/empties.js and frame/scroll.js

test("addresses carry no empty parameters", async () => {
  const { module: { withoutEmpty }, $ } = await page('<form id="get" method="get"></form><form id="post" method="post"></form>', "frame/empties.js");
  const data = new URLSearchParams("a=&b=1&c=&c=2&d=&d=");
  assert.equal(String(withoutEmpty(data)), "b=1&c=2");
  const sent = (form) => { const formData = new URLSearchParams("q=&x=1"); $(form).dispatchEvent(Object.assign(new Event("formdata", { bubbles: true }), { formData })); return String(formData); };
  assert.equal(sent("#get"), "x=1");
  assert.equal(sent("#post"), "q=&x=1");
  const asked = (verb) => { const parameters = new URLSearchParams("q=&x=1"); emit(document, "htmx:configRequest", { verb, parameters }); return String(parameters); };
  assert.equal(asked("get"), "x=1");
  assert.equal(asked("post"), "q=&x=1");
});

test("how far a page was scrolled is kept with its entry of the history, and taken up again", async () => {
  const { $, window } = await pageOf({ html: '<main id="main"></main>', before: ({ window: made }) => made.history.replaceState({ top: 120, other: 1 }, "") }, "frame/scroll.js");
  assert.equal($("#main").scrollTop, 120);
  $("#main").scrollTop = 300;
  $("#main").dispatchEvent(new Event("scroll"));
  $("#main").scrollTop = 310;
  $("#main").dispatchEvent(new Event("scroll"));
  assert.equal(window.history.state.top, 120);
  await pass(160);
  assert.deepEqual(window.history.state, { top: 310, other: 1 });
  $("#main").scrollTop = 50;
  dispatchEvent(new Event("pagehide"));
  assert.equal(window.history.state.top, 50);
});
