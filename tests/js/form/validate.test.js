// validate.js: errors are shown at their fields before anything is sent, and don't block the user.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pass } from "../page.js";
import { form } from "./pages.js";

async function submit(shown, button = [...shown.$$("#form button")].find((one) => one.textContent.trim() === "Create")) {
  let stopped = true;
  const hear = (event) => { stopped = false; event.preventDefault(); };
  shown.document.addEventListener("submit", hear);
  shown.$("#form").requestSubmit(button);
  shown.document.removeEventListener("submit", hear);
  await pass(0);
  return !stopped;
}
const summary = (shown) => Object.fromEntries(shown.$$("#form-errors li").map((line) => /^(.*?):\s+(.*)$/s.exec(line.textContent.trim()).slice(1)));
const patterns = (shown, control) => { shown.named(control).dispatchEvent(new window.FocusEvent("focusin", { bubbles: true })); return pass(0); };

for (const [name, text, words] of [
  ["i:/spec/count", "20000", "at most 10000"], ["i:/spec/count", "0", "at least 1"], ["i:/spec/big", "9223372036854775808", "9223372036854775807"], ["n:/spec/ratio", "1.5", "at most 1"],
  ["s:/spec/title", "ab", "minimum length is 3"], ["s:/spec/title", "Not Lower", "Use lowercase letters"], ["s:/spec/title", "a".repeat(64), "maximum length is 63"],
]) test(`it is said when a field is left: ${name} ${text.slice(0, 20)}`, async () => {
  const shown = await form("gallery");
  await patterns(shown, name);
  await shown.fill(name, text);
  assert.equal(shown.said(name), null);
  await shown.leave(name);
  await new Promise((done) => { setImmediate(done); });
  await pass(0);
  assert.ok(shown.said(name)?.includes(words), shown.said(name));
  const control = shown.named(name);
  assert.equal(control.getAttribute("aria-invalid"), "true");
  assert.ok(control.getAttribute("aria-describedby").split(" ").includes(`${control.id}-v`));
  assert.ok(control.closest(".pf-v6-c-form-control").classList.contains("pf-m-error"));
});

test("what is right is not touched, and what was corrected is quiet at once", async () => {
  const shown = await form("gallery");
  for (const [name, text] of [["s:/spec/title", "fine"], ["i:/spec/big", "9223372036854775807"], ["n:/spec/ratio", "1e-3"]]) {
    await shown.fill(name, text);
    await shown.leave(name);
    assert.equal(shown.said(name), null, name);
  }
  await shown.fill("i:/spec/count", "20000");
  await shown.leave("i:/spec/count");
  assert.ok(shown.said("i:/spec/count"));
  await shown.fill("i:/spec/count", "3");
  assert.equal(shown.said("i:/spec/count"), null);
  const control = shown.named("i:/spec/count");
  assert.equal(control.hasAttribute("aria-invalid"), false);
  assert.ok(!control.getAttribute("aria-describedby").includes("-v"));
});

test("what can't be read as a number is said, and is no field that is missed", async () => {
  const shown = await form("gallery");
  for (const [name, words] of [["i:/spec/count", "This must be a whole number."], ["n:/spec/ratio", "This must be a number."]]) {
    shown.named(name).setAttribute("data-unreadable", "");
    await shown.leave(name);
    assert.equal(shown.said(name), words);
  }
});

test("a field that was only passed by is not missed yet", async () => {
  const shown = await form("gallery");
  await shown.leave("s:/spec/title");
  assert.equal(shown.said("s:/spec/title"), null);
});

test("the form is not sent with errors, until the user insists", async () => {
  const shown = await form("gallery");
  await shown.fill("i:/spec/count", "20000");
  assert.equal(await submit(shown), false);
  assert.deepEqual(summary(shown), { Name: "This field is required.", Title: "This field is required.", Count: "Must be at most 10000." });
  assert.equal(shown.document.activeElement.name, "s:/metadata/name");
  // Twice is one list.
  assert.equal(await submit(shown), false);
  assert.equal(shown.$$("#form-errors").length, 1);
  const link = shown.$$("#form-errors a").find((one) => one.textContent.includes("Count"));
  await shown.press(link);
  assert.equal(shown.document.activeElement.name, "i:/spec/count");
  await shown.fill("i:/spec/count", "3");
  assert.equal(await submit(shown, shown.$("#form-errors button[formnovalidate]")), true);
});

test("buttons of parts, and a look at the changes, send it as it is", async () => {
  const shown = await form("gallery");
  assert.equal(await submit(shown, shown.$("button[name='~review']")), true);
  assert.equal(await submit(shown, shown.$("button[name='~yaml']")), true);
  assert.equal(await submit(shown), false);
});

test("lists and sections that are required are missed, until something is in them", async () => {
  const shown = await form("new-team");
  await shown.fill("s:/metadata/name", "team");
  assert.equal(await submit(shown), false);
  assert.deepEqual(Object.keys(summary(shown)), ["Name", "Tags", "Users", "Source"]);
  await shown.press(shown.$('[name="~add"][value="/spec/tags"]'));
  const tag = shown.items("/spec/tags")[0].querySelector("input").name;
  await shown.fill(tag, "blue");
  assert.equal(shown.document.getElementById("f.spec.tags-v"), null);
  await shown.fill("s:/spec/source/url", "https://git.example");
  await submit(shown);
  assert.deepEqual(Object.keys(summary(shown)), ["Name", "Users"]);
});

test("a required field of a section that is not there is not missed", async () => {
  const shown = await form("good-team");
  assert.ok(shown.box("/spec/backup/days").hasAttribute("data-required"));
  assert.equal(await submit(shown), true);
  await shown.fill("s:/spec/backup/to", "somewhere");
  assert.equal(await submit(shown), false);
  assert.deepEqual(Object.keys(summary(shown)), ["Backup › Days"]);
});

test("what is said is what the server says, by the same labels", async () => {
  const shown = await form("team");
  await patterns(shown, "s:/spec/name");
  await submit(shown);
  await pass(0);
  assert.deepEqual(summary(shown), shown.problems);
  assert.ok("Users › Item 1 › Count" in shown.problems);
});

test("items are counted as they stand now", async () => {
  const shown = await form("team");
  await shown.press(shown.$('[name="~move-up"][value="/spec/users/@1"]'));
  await submit(shown);
  const labels = Object.keys(summary(shown));
  assert.ok(labels.includes("Users › Item 1 › Name") && labels.includes("Users › Item 2 › Count"), labels.join());
});

test("what can't be changed or is not asked for now is not judged", async () => {
  const shown = await form("house");
  shown.box("/spec/second").toggleAttribute("data-required", true);
  await shown.fill("s:/spec/second", "");
  assert.equal(await submit(shown), false);
  await shown.fill("s:/spec/first", "off");
  assert.equal(await submit(shown), true);
});
