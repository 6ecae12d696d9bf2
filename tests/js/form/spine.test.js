// spine.js: what the outline and the bar say of the form, and where they lead; more.js: what comes out of its fold.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pass } from "../page.js";
import { form } from "./pages.js";

const bar = (shown) => shown.$("[data-set-count]").textContent;
const errors = (shown) => (shown.$("[data-show-errors]").hidden ? "" : shown.$("[data-show-errors]").textContent);
const rows = (shown) => shown.$$("[data-outline] [data-pointers]").map((row) => [
  row.querySelector(".pf-v6-c-jump-links__link-text").textContent,
  row.querySelector("[data-dot]").dataset.state,
  row.querySelector("[data-said]").textContent,
]);

test("the bar counts what is set, whatever kind of control it is", async () => {
  const shown = await form("gallery");
  // The namespace that the form came with.
  assert.equal(bar(shown), "1 set");
  await shown.fill("s:/spec/title", "fine");
  const yes = shown.$$('[name="b:/spec/enabled"]').find((one) => one.value === "true");
  yes.checked = true;
  yes.dispatchEvent(new Event("change", { bubbles: true }));
  await pass(200);
  assert.equal(bar(shown), "3 set");
  await shown.fill("s:/spec/title", "");
  await pass(200);
  assert.equal(bar(shown), "2 set");
});

test("a section that is closed counts with what it holds", async () => {
  const shown = await form("long-gallery");
  const closed = shown.$$("[data-values]").reduce((sum, box) => sum + Number(box.dataset.values), 0);
  assert.ok(closed > 0);
  assert.ok(parseInt(bar(shown), 10) > closed);
});

test("the outline marks what is set, what is required and what is wrong", async () => {
  const shown = await form("gallery");
  assert.deepEqual(rows(shown), [["Name", "required", "Required"], ["General", "required", "Required"]]);
  await shown.fill("s:/metadata/name", "here");
  await pass(200);
  assert.deepEqual(rows(shown)[0], ["Name", "set", "2"]);
  await shown.fill("s:/spec/title", "ab");
  await shown.leave("s:/spec/title");
  await pass(200);
  assert.deepEqual(rows(shown)[1], ["General", "error", "1 error"]);
  assert.equal(errors(shown), "1 error");
  await shown.fill("s:/spec/title", "abc");
  await pass(200);
  assert.deepEqual(rows(shown)[1], ["General", "set", "1"]);
  assert.equal(errors(shown), "");
});

test("after a refused Create the bar counts the errors and leads to all of them", async () => {
  const shown = await form("gallery");
  shown.$("#form").requestSubmit();
  await pass(200);
  assert.equal(errors(shown), "2 errors");
  await shown.press(shown.$("[data-show-errors]"));
  assert.equal(shown.document.activeElement.id, "form-errors");
});

test("a row of the outline leads to the error of its section, else to its first field", async () => {
  const shown = await form("edited-gallery");
  const label = (link) => link.querySelector(".pf-v6-c-jump-links__link-text").textContent;
  const links = Object.fromEntries(shown.$$("[data-outline] a").map((link) => [label(link), link]));
  await shown.press(links.Name);
  assert.equal(shown.document.activeElement.name, "s:/metadata/name");
  await shown.fill("s:/spec/nested/host", "");
  shown.named("s:/spec/nested/path").setAttribute("aria-invalid", "true");
  await shown.press(links.Nested);
  assert.equal(shown.document.activeElement.name, "s:/spec/nested/path");
});

test("the outline is one stop of the Tab key, and the arrows go through it", async () => {
  const shown = await form("edited-gallery");
  const links = shown.$$("[data-outline] a");
  assert.equal(links.filter((link) => link.tabIndex === 0).length, 1);
  links[0].focus();
  links[0].dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true, cancelable: true }));
  assert.equal(shown.document.activeElement, links[1]);
  assert.deepEqual(links.filter((link) => link.tabIndex === 0), [links[1]]);
  links[1].dispatchEvent(new KeyboardEvent("keydown", { key: "End", bubbles: true, cancelable: true }));
  assert.equal(shown.document.activeElement, links.at(-1));
});

test("a field that is wanted comes out of its fold, alone", async () => {
  const shown = await form("gallery");
  const fold = shown.$("[data-pointer='/spec'] [data-more]");
  const count = () => Number(fold.querySelector("[data-more-count]").textContent);
  const before = count();
  assert.ok(before > 10 && fold.contains(shown.box("/spec/story")));
  const link = shown.document.createElement("a");
  link.dataset.goto = "f.spec.story";
  shown.$("#form").append(link);
  await shown.press(link);
  assert.equal(shown.document.activeElement.name, "s:/spec/story");
  assert.ok(!fold.contains(shown.box("/spec/story")) && !fold.open);
  assert.equal(count(), before - 1);
  // It is sent from there as it was from the fold.
  await shown.fill("s:/spec/story", "told");
  assert.ok(shown.sent().some(([name, value]) => name === "s:/spec/story" && value === "told"));
});

test("a name that is wrong is judged when it is left, with a name that would do", async () => {
  const shown = await form("gallery");
  await shown.fill("s:/metadata/name", "Argo_CD");
  await shown.leave("s:/metadata/name");
  assert.ok(shown.said("s:/metadata/name").includes("Use lowercase letters"), shown.said("s:/metadata/name"));
  const proposal = shown.$("#form [data-use]");
  assert.equal(proposal.textContent, "Use “argo-cd”");
  await shown.press(proposal);
  assert.equal(shown.named("s:/metadata/name").value, "argo-cd");
  assert.equal(shown.said("s:/metadata/name"), null);
});
