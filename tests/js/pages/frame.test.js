// What every page has: palette.js, preferences.js, theme.js; and overview.js.
import assert from "node:assert/strict";
import { test } from "node:test";
import { choose, click, emit, hide, pageOf, pass, press, settled, type } from "../page.js";

// palette.js

const PALETTE = `<dialog id="palette" class="console-palette" data-url="/palette/" data-recent="Opened lately"><input id="palette-q"><div id="palette-list"></div></dialog><dialog id="keys"></dialog>
  <main id="main"><div role="search"><input type="hidden"><input id="filter"></div></main><a data-palette-open href="/palette/">Find</a>`;
const option = (name) => `<a role="option" href="/${name}/">${name}</a>`;

async function palette({ url = "http://console.test/", title = "", recent, answer } = {}) {
  const asked = [];
  const shown = await pageOf({
    html: PALETTE, url, before: ({ window, document }) => {
      if (recent) window.localStorage.setItem("console-recent", JSON.stringify(recent));
      document.title = title;
      window.HTMLDialogElement.prototype.showModal = function open() { this.setAttribute("open", ""); };
    },
    answer: (request) => { const q = new URL(request.url).searchParams.get("q"); asked.push(q); return answer?.(q) ?? { text: `${option("one")}${option("two")}${option("three")}` }; },
  }, "palette.js");
  const gone = [];
  Object.defineProperty(globalThis, "location", { value: { pathname: new URL(url).pathname, assign: (to) => gone.push(to) }, configurable: true, writable: true });
  return { ...shown, asked, gone, options: () => shown.$$("[role=option]").map((one) => one.textContent), chosen: () => shown.$("[aria-selected=true]")?.textContent ?? null };
}

test("palette: Ctrl-K opens it, arrow keys choose, Enter goes there", async () => {
  const { document, $, gone, chosen, asked } = await palette();
  assert.equal(press(document.body, "k", { ctrlKey: true }).defaultPrevented, true);
  await settled();
  assert.equal($("#palette").hasAttribute("open"), true);
  assert.equal(document.activeElement.id, "palette-q");
  assert.deepEqual(asked, [""]);
  assert.equal(chosen(), "one");
  const field = $("#palette-q");
  assert.equal(field.getAttribute("aria-activedescendant"), "palette-option-0");
  press(field, "ArrowUp");
  assert.equal(chosen(), "three");
  press(field, "ArrowDown");
  press(field, "ArrowDown");
  assert.equal(chosen(), "two");
  press(field, "Enter");
  assert.match(gone[0], /\/two\/$/);
});

test("palette: it asks when somebody stops typing, and shows no answer that was overtaken", async () => {
  const gates = [];
  const { document, $, asked, options } = await palette({ answer: (q) => (q ? new Promise((done) => { gates.push(done); }) : undefined) });
  press(document.body, "K", { metaKey: true });
  await settled();
  for (const text of ["a", "ab"]) { type($("#palette-q"), text); await pass(50); }
  await pass(100);
  type($("#palette-q"), "abc");
  await pass(100);
  assert.deepEqual(asked, ["", "ab", "abc"]);
  gates[1]({ text: option("new") });
  await settled();
  gates[0]({ text: option("old") });
  await settled();
  assert.deepEqual(options(), ["new"]);
});

test("palette: what was opened lately comes first, while nothing is typed", async () => {
  const address = "/resources/core/v1/namespaces/-/default/";
  const one = await palette({ url: `http://console.test${address}`, title: "default · Namespace · Console", recent: [{ url: address, title: "old" }, { url: "/x/", title: "x" }] });
  assert.deepEqual(JSON.parse(localStorage.getItem("console-recent")), [{ url: address, title: "default · Namespace" }, { url: "/x/", title: "x" }]);
  press(one.document.body, "k", { ctrlKey: true });
  await settled();
  assert.deepEqual(one.options().slice(0, 2), ["default · Namespace", "x"]);
  assert.equal(one.$("[role=group]").getAttribute("aria-label"), "Opened lately");
  type(one.$("#palette-q"), "a");
  await pass(100);
  assert.equal(one.$("[role=group]"), null);
  // Lists and forms are not remembered.
  await palette({ url: "http://console.test/resources/core/v1/namespaces/", title: "Namespaces · Console" });
  assert.equal(localStorage.getItem("console-recent"), null);
});

test("palette: “?” lists the keys and “/” goes to the search field, where nobody is typing", async () => {
  const { document, $ } = await palette();
  $("#filter").focus();
  assert.equal(press($("#filter"), "/").defaultPrevented, false);
  assert.equal(press($("#filter"), "?").defaultPrevented, false);
  $("#filter").blur();
  assert.equal(press(document.body, "/").defaultPrevented, true);
  assert.equal(document.activeElement.id, "filter");
  assert.equal(press(document.body, "?", { ctrlKey: true }).defaultPrevented, false);
  press(document.body, "?");
  assert.equal($("#keys").hasAttribute("open"), true);
  assert.equal(press(document.body, "/").defaultPrevented, false);
  assert.equal(click($("[data-palette-open]"), { ctrlKey: true }), true);
  assert.equal(click($("[data-palette-open]")), false);
});

// preferences.js

const PREFERENCES = `<form data-preferences action="/settings/"><select name="theme"><option value="system" selected>System</option><option value="dark">Dark</option></select>
  <select name="times"><option value="relative" selected>Ages</option><option value="utc">UTC</option></select><select name="language"><option value="en" selected>English</option><option value="ko">한국어</option></select>
  <span><input name="rows" value="50"></span><p id="rows-error" hidden></p><span data-saved data-text="Saved"></span></form>
  <form data-preferences action="/settings/"><select name="theme"><option value="system" selected>System</option><option value="dark">Dark</option></select></form><time data-age datetime="2026-01-01T00:00:00Z"></time>
  <form data-save-search method="post"><input name="query"></form>`;
const JSONS = { "Content-Type": "application/json" };

async function preferences(answer) {
  const shown = await pageOf({ html: PREFERENCES, url: "http://console.test/resources/?q=x&namespace=-", answer }, "preferences.js");
  const events = [];
  document.addEventListener("console:theme", () => events.push("theme"));
  window.HTMLFormElement.prototype.submit = () => events.push("sent");
  const save = async () => { shown.$("form").dispatchEvent(new Event("submit", { bubbles: true, cancelable: true })); await settled(); await settled(); };
  return { ...shown, save, events };
}

test("preferences: what is chosen takes effect at once, in every form of the page", async () => {
  const { $, $$, save, events, requests } = await preferences(() => ({ json: { errors: {} }, headers: JSONS }));
  choose($("[name=theme]"), "dark");
  choose($("[name=times]"), "utc");
  await save();
  assert.equal(requests[0].method, "POST");
  assert.equal(document.documentElement.dataset.theme, "dark");
  assert.deepEqual(events, ["theme"]);
  assert.equal($("time").textContent, "2026-01-01T00:00:00Z");
  assert.equal($("[data-saved]").textContent, "Saved");
  assert.deepEqual($$("[name=theme]").map((select) => select.value), ["dark", "dark"]);
});

test("preferences: what is wrong is said at its field, and nothing takes effect", async () => {
  const { $, save, events } = await preferences(() => ({ status: 422, json: { errors: { rows: "From 10 to 500" } }, headers: JSONS }));
  choose($("[name=theme]"), "dark");
  await save();
  assert.deepEqual([$("#rows-error").textContent, $("#rows-error").hidden], ["From 10 to 500", false]);
  assert.ok($("[name=rows]").hasAttribute("aria-invalid"));
  assert.equal(document.activeElement, $("[name=rows]"));
  assert.deepEqual(events, []);
  assert.equal($("[data-saved]").textContent, "");
});

test("preferences: what can't be answered here is a page of its own; a search is saved as it stands", async () => {
  for (const answer of [() => ({ status: 500, json: {}, headers: JSONS }), () => ({ text: "<html>" })]) {
    const { save, events } = await preferences(answer);
    await save();
    assert.deepEqual(events, ["sent"]);
  }
  const { $ } = await preferences(() => ({}));
  $("[data-save-search]").dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
  assert.equal($("[name=query]").value, "q=x&namespace=-");
});

// theme.js

test("theme: the reader's choice, else the system's; the time zone is told once", async () => {
  let preferences;
  const open = (root, dark) => pageOf({ root, before: ({ window }) => {
    preferences = {};
    globalThis.matchMedia = window.matchMedia = (query) => (preferences[query] = { matches: query.includes("dark") ? dark : false, addEventListener: (_, call) => { preferences[query].changed = call; } });
  } }, "theme.js");
  const has = (name) => document.documentElement.classList.contains(name);
  await open({}, true);
  assert.ok(has("console-scripted") && has("pf-v6-theme-dark") && !has("pf-v6-theme-high-contrast"));
  preferences["(prefers-color-scheme: dark)"].matches = false;
  preferences["(prefers-color-scheme: dark)"].changed();
  assert.ok(!has("pf-v6-theme-dark"));
  preferences["(prefers-contrast: more)"].matches = true;
  preferences["(prefers-contrast: more)"].changed();
  assert.ok(has("pf-v6-theme-high-contrast"));
  assert.match(document.cookie, /console_zone=/);
  await open({ "data-theme": "light" }, true);
  assert.ok(!has("pf-v6-theme-dark"));
  document.documentElement.dataset.theme = "dark";
  document.dispatchEvent(new Event("console:theme"));
  assert.ok(has("pf-v6-theme-dark"));
});

// overview.js

const trouble = (level, text) => `<li data-level="${level}"><a href="/${text}/">${text}</a></li>`;
const card = (name, attributes, troubles = "") => `<section id="${name}" data-card="${name}" ${attributes}><span class="overview-mark">${name}!</span><p data-waits data-text-lost="lost">…</p><ul data-troubles>${troubles}</ul></section>`;
const overview = (...cards) => pageOf({ html: `<div id="overview-verdict" data-text-many="{number} problems" data-text-one="1 problem" data-text-unknown="Loading" data-text-partly="Partly known" data-text-later="Nothing new" data-text-well="All is well">
  <h2 data-sum></h2><span data-sum-icon></span>${["error", "warning", "progress", "info", "success"].map((name) => `<template data-icon="${name}"><i>${name}</i></template>`).join("")}
  <ul data-troubles-all></ul><details data-snoozed-box hidden><ul data-snoozed-all></ul></details><p class="overview-calm" hidden></p>${["a", "b"].map((name) => `<span data-area="${name}"><b class="overview-mark">?</b></span>`).join("")}</div>${cards.join("")}` }, "overview.js");
const sum = ({ $, $$ }) => [$("[data-sum]").textContent, $("[data-sum-icon]").textContent, $$("[data-troubles-all] li").map((one) => one.textContent)];

test("overview: what is not well, worst first; what is still coming; all well", async () => {
  assert.deepEqual(sum(await overview(card("a", 'data-judged data-level="warning"', trouble("warning", "w")), card("b", 'data-judged data-level="error"', `${trouble("warning", "v")}${trouble("error", "e")}`))), ["3 problems", "error", ["e", "w", "v"]]);
  assert.deepEqual(sum(await overview(card("a", 'data-judged data-level="warning"', trouble("warning", "w")))), ["1 problem", "warning", ["w"]]);
  assert.deepEqual(sum(await overview(card("a", 'data-judged data-level="success" data-coming'))), ["Loading", "progress", []]);
  assert.deepEqual(sum(await overview(card("a", "data-judged"), card("b", 'data-judged data-level="success"'))), ["Partly known", "info", []]);
  const well = await overview(card("a", 'data-judged data-level="success"'), card("b", "data-other", trouble("error", "not judged")));
  assert.deepEqual(sum(well), ["All is well", "success", []]);
  assert.equal(well.$(".overview-calm").hidden, false);
  assert.equal(well.$("[data-troubles-all]").hidden, true);
  assert.equal(well.$('[data-area="a"] .overview-mark').textContent, "a!");
});

test("overview: what is snoozed is listed apart, and isn't counted", async () => {
  const row = trouble("error", "s").replace("<li", "<li data-snoozed");
  const shown = await overview(card("a", 'data-judged data-level="error"', row));
  assert.deepEqual(sum(shown), ["Nothing new", "info", []]);
  assert.equal(shown.$("[data-snoozed-box]").hidden, false);
  assert.equal(shown.$("[data-snoozed-all] a").textContent, "s");
});

test("overview: news change it, and a link that has the focus keeps it", async () => {
  const shown = await overview(card("a", 'data-judged data-level="error"', `${trouble("error", "e")}${trouble("warning", "w")}`));
  shown.$('[data-troubles-all] a[href="/w/"]').focus();
  const link = document.activeElement;
  emit(shown.$("#a"), "live:laid");
  assert.equal(document.activeElement, link);
  shown.$("#a [data-level=error]").remove();
  emit(shown.$("#a"), "live:laid");
  assert.deepEqual(sum(shown)[2], ["w"]);
  assert.equal(document.activeElement.getAttribute("href"), "/w/");
});

test("overview: a card that nothing renews is asked again each minute, while somebody looks; a lost one soon", async () => {
  const shown = await overview(card("a", 'data-judged data-level="success"'), card("b", "data-judged data-coming"));
  const asked = [];
  document.addEventListener("live:resume", ({ target }) => asked.push(target.id));
  await pass(50_000);
  assert.deepEqual(asked, []);
  await pass(15_000);
  assert.deepEqual(asked, ["a"]);
  hide(document, true);
  await pass(120_000);
  assert.deepEqual(asked, ["a"]);
  hide(document, false);
  assert.deepEqual(asked, ["a", "a"]);
  let again = 0;
  shown.$("#b").addEventListener("overview:again", () => { again += 1; });
  emit(shown.$("#b"), "htmx:sendError");
  assert.equal(shown.$("#b [data-waits]").textContent, "lost");
  await pass(5000);
  assert.equal(again, 1);
});
