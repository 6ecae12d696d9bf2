// The navigation that folds and the namespace picker.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { click, emit, pageOf, press } from "../page.js";

const names = ["-", ...Array.from({ length: 12 }, (_, index) => `team-${index}`), "shop"];
const HTML = `<div id="navigation"><nav>
    <details data-nav-group="workloads"><summary><span class="pf-v6-c-nav__link-text">Workloads</span></summary>
      <a href="#pods" data-go-key="p">Pods</a></details>
  </nav><button data-nav-fold aria-pressed="false">fold</button></div>
  <details id="namespace-menu"><summary>Namespace</summary><form data-picker>
    <input type="search" name="namespace"><ul data-picker-recent hidden></ul>
    <ul data-picker-names>${names.map((name) => `<li><button class="console-picker-name" name="namespace" value="${name}">${name}</button></li>`).join("")}</ul>
    <p data-picker-none hidden></p></form></details><input id="typing">`;

let navigation;
let picker;
let $;
before(async () => {
  const shown = await pageOf({ html: HTML }, "frame/navigation.js", "frame/picker.js");
  ({ $, modules: [navigation, picker] } = shown);
});

test("groups that were opened are kept by name, each once, and nothing else is", () => {
  assert.equal(navigation.opened("", "config", true), "config");
  assert.equal(navigation.opened("config.workloads", "config", true), "config.workloads");
  assert.equal(navigation.opened("config.workloads", "config", false), "workloads");
  assert.equal(navigation.opened("<script>.config", "storage", true), "config.storage");
});

test("Ctrl B folds the navigation and unfolds it, but not while somebody types in an editor", () => {
  press(document.body, "b", { ctrlKey: true });
  assert.equal(navigation.isFolded(), true);
  assert.equal($("[data-nav-fold]").getAttribute("aria-pressed"), "true");
  click($("[data-nav-fold]"));
  assert.equal(navigation.isFolded(), false);
});

test("g and a letter lead to the page; in a field they are letters", () => {
  let went = 0;
  $("[data-go-key=p]").addEventListener("click", (event) => { event.preventDefault(); went += 1; });
  press($("#typing"), "g");
  press($("#typing"), "p");
  press(document.body, "p");
  assert.equal(went, 0);
  press(document.body, "g");
  press(document.body, "p");
  assert.equal(went, 1);
});

test("names are found by any part of them, in any case", () => {
  assert.equal(picker.matches("Team-Shop", " shop "), true);
  assert.equal(picker.matches("team", "shop"), false);
});

test("those picked lately come first, each once, and five at most", () => {
  assert.deepEqual(picker.withPicked(["a", "b"], "b"), ["b", "a"]);
  assert.equal(picker.withPicked(["1", "2", "3", "4", "5"], "6").length, 5);
});

test("typing leaves what matches, and says where nothing does", () => {
  const field = $("[data-picker] [type=search]");
  const shown = () => [...document.querySelectorAll("[data-picker-names] li")].filter((item) => !item.hidden).length;
  field.value = "sho";
  emit(field, "input");
  assert.equal(shown(), 1);
  field.value = "nothing";
  emit(field, "input");
  assert.equal(shown(), 0);
  assert.equal($("[data-picker-none]").hidden, false);
  field.value = "";
  emit(field, "input");
  assert.equal(shown(), names.length);
});
