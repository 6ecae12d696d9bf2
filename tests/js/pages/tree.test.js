// tree.js: rows fold, arrow keys walk, and live updates leave what a person folded.
import assert from "node:assert/strict";
import { test } from "node:test";
import { click, page, press, settled } from "../page.js";

const ROWS = `
  <tr id="top" data-branch aria-level="1"><td><a href="#top">web</a> <button data-toggle>fold</button></td></tr>
  <tr id="set" data-parent="top" data-branch aria-level="2"><td><a href="#set">web-1</a></td></tr>
  <tr id="pod" data-parent="set" aria-level="3"><td><a href="#pod">web-1-a</a></td></tr>
  <tr id="job" data-parent="top" data-branch data-fold aria-level="2"><td>job</td></tr>
  <tr id="run" data-parent="job" aria-level="3"><td>run</td></tr>`;
const tree = (rows = ROWS) => page(`<div id="main"><table data-tree><tbody>${rows}</tbody></table></div>`, "tree.js");
const seen = ({ $$ }) => $$("tbody > tr").filter((row) => !row.hidden).map((row) => row.id);
const focused = ({ document }) => document.activeElement.id;

test("what is folded hides all that is below it", async () => {
  const shown = await tree();
  assert.deepEqual(seen(shown), ["top", "set", "pod", "job"]);
  assert.equal(shown.$("#job").getAttribute("aria-expanded"), "false");
  assert.equal(shown.$("#set").getAttribute("aria-expanded"), "true");
  assert.equal(shown.$("#pod").hasAttribute("aria-expanded"), false);
  click(shown.$("[data-toggle]"));
  assert.deepEqual(seen(shown), ["top"]);
  click(shown.$("[data-toggle]"));
  // What was folded inside it is folded still.
  assert.deepEqual(seen(shown), ["top", "set", "pod", "job"]);
});

test("one row is the tree's stop for Tab, and it is where the focus is", async () => {
  const shown = await tree();
  const stops = () => shown.$$("tbody > tr").filter((row) => row.getAttribute("tabindex") === "0").map((row) => row.id);
  assert.deepEqual(stops(), ["top"]);
  shown.$("#top").focus();
  press(shown.$("#top"), "ArrowDown");
  assert.equal(focused(shown), "set");
  assert.deepEqual(stops(), ["set"]);
});

test("arrow keys, Home and End walk over what is seen", async () => {
  const shown = await tree();
  const go = (key) => { press(shown.document.activeElement, key); return focused(shown); };
  shown.$("#top").focus();
  assert.equal(go("ArrowUp"), "top");
  assert.equal(go("ArrowRight"), "set");
  assert.equal(go("ArrowDown"), "pod");
  assert.equal(go("ArrowLeft"), "set");
  assert.equal(go("ArrowLeft"), "set");
  assert.equal(shown.$("#set").getAttribute("aria-expanded"), "false");
  assert.deepEqual(seen(shown), ["top", "set", "job"]);
  assert.equal(go("ArrowLeft"), "top");
  assert.equal(go("End"), "job");
  assert.equal(go("ArrowRight"), "job");
  assert.deepEqual(seen(shown), ["top", "set", "job", "run"]);
  assert.equal(go("End"), "run");
  assert.equal(go("ArrowDown"), "run");
  assert.equal(go("Home"), "top");
});

test("Enter follows the link of a row, and folds where there is none; Space folds", async () => {
  const shown = await tree();
  const followed = [];
  shown.document.addEventListener("click", (event) => { if (event.target.matches("a")) { followed.push(event.target.getAttribute("href")); event.preventDefault(); } });
  shown.$("#set").focus();
  press(shown.$("#set"), "Enter");
  assert.deepEqual(followed, ["#set"]);
  press(shown.$("#set"), " ");
  assert.equal(shown.$("#set").getAttribute("aria-expanded"), "false");
  press(shown.$("#job"), "Enter");
  assert.equal(shown.$("#job").getAttribute("aria-expanded"), "true");
});

test("keys with Ctrl, of other elements and of no meaning are left alone", async () => {
  const shown = await tree();
  shown.$("#top").focus();
  assert.equal(press(shown.$("#top"), "ArrowDown", { ctrlKey: true }).defaultPrevented, false);
  assert.equal(press(shown.$("#top a"), "ArrowDown").defaultPrevented, false);
  assert.equal(press(shown.$("#top"), "x").defaultPrevented, false);
  assert.equal(focused(shown), "top");
  assert.equal(press(shown.$("#top"), "ArrowDown").defaultPrevented, true);
});

test("a live update leaves what was folded, and the focus's row", async () => {
  const shown = await tree();
  shown.$("#top").focus();
  press(shown.$("#top"), "ArrowDown");
  press(shown.$("#set"), "ArrowLeft");
  shown.$("tbody").innerHTML = `${ROWS}<tr id="late" data-parent="set" aria-level="3"><td>late</td></tr>`;
  await settled();
  assert.deepEqual(seen(shown), ["top", "set", "job"]);
  assert.equal(shown.$("#set").getAttribute("tabindex"), "0");
  assert.equal(shown.$("#set").getAttribute("aria-expanded"), "false");
});
