// frame/kubectl.js: the commands beside a form follow its ticks and what is typed (kube/kubectl.py).
import assert from "node:assert/strict";
import { test } from "node:test";
import { choose, page, type } from "../page.js";

const PLACE = '<span data-field="namespace" data-before=" -n " data-otherwise=""></span>';
const BLOCK = `<details data-follows><code><span data-command data-ticks='[["1"]]'>apply -f a.yaml${PLACE}
</span><span data-command data-unless='["1"]' hidden>create -f a.yaml${PLACE}
</span></code><button data-copy="apply -f a.yaml"></button></details>`;
const FORM = `<form id="form"><input type="checkbox" name="apply" value="1" checked>
  <input name="namespace" value="">${BLOCK}</form>`;

async function form(html = FORM) {
  const shown = await page(html, "frame/kubectl.js");
  const commands = () => shown.$$("[data-command]").filter((command) => !command.hidden);
  const visible = () => commands().map((command) => command.textContent.trim());
  return { ...shown, copied: () => shown.$("[data-copy]").dataset.copy, visible };
}

test("what is ticked decides which commands count", async () => {
  const { $, copied, visible } = await form();
  assert.equal(copied(), "apply -f a.yaml");
  choose($("[name=apply]"), false);
  assert.equal(copied(), "create -f a.yaml");
  assert.deepEqual(visible(), ["create -f a.yaml"]);
  choose($("[name=apply]"), true);
  assert.equal(copied(), "apply -f a.yaml");
});

test("what is typed stands in the command at each key, as one word for a shell", async () => {
  const { $, copied, visible } = await form();
  type($("[name=namespace]"), " apps ");
  assert.equal(copied(), "apply -f a.yaml -n apps");
  assert.deepEqual(visible(), ["apply -f a.yaml -n apps"]);
  type($("[name=namespace]"), "it's; rm -r x");
  assert.equal(copied(), `apply -f a.yaml -n 'it'"'"'s; rm -r x'`);
  type($("[name=namespace]"), "");
  assert.equal(copied(), "apply -f a.yaml");
});

test("what a browser brought back into the form counts at once", async () => {
  const { copied } = await form(FORM.replace('name="namespace" value=""', 'name="namespace" value="apps"'));
  assert.equal(copied(), "apply -f a.yaml -n apps");
});

test("a block that says what stands for an empty field; a form without one is left alone", async () => {
  const asking = FORM.replaceAll('data-otherwise=""', 'data-otherwise=" -n NAMESPACE"');
  const { $, copied } = await form(`<form><input name="other"></form>${asking}`);
  type($("[name=other]"), "x");
  assert.equal(copied(), "apply -f a.yaml -n NAMESPACE");
});
