// pointers.js: names of controls, and what is renamed when an item is copied.
import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../page.js";

const PAGE = `<div id="list" data-pointer="/spec/users/@1" data-depends='[["/spec/users/@1/kind", "x", true], ["/spec/users/@11", "y", false], ["/spec/other", "z", true]]'>
  <label for="f.spec.users.@1.name">Name</label>
  <input id="f.spec.users.@1.name" name="s:/spec/users/@1/name" aria-describedby="f.spec.users.@1.name-t other f.spec.users.@11">
  <input id="f.spec.users.@11.name" name="s:/spec/users/@11/name">
  <button name="~add" value="/spec/users/@1/roles"></button><button name="~remove" value="/spec/users/@1"></button><button name="plain" value="/spec/users/@1"></button>
</div>`;

test("ids are made as the server makes them", async () => {
  const { module: { idOf } } = await page("", "form/pointers.js");
  assert.equal(idOf("/spec/users/@1/name"), "f.spec.users.@1.name");
  assert.equal(idOf("/spec/a b/c~1d%"), "f.spec.a!20b.c~1d!25");
  assert.equal(idOf("/spec/it's(x)*!"), "f.spec.it!27s!28x!29!2A!21");
});

test("all that is named under an item is named under the other, and nothing else", async () => {
  const { module: { rename }, $ } = await page(PAGE, "form/pointers.js");
  rename($("#list"), "/spec/users/@1", "/spec/users/@n7");
  const box = $("#list");
  assert.equal(box.dataset.pointer, "/spec/users/@n7");
  assert.deepEqual(JSON.parse(box.dataset.depends), [["/spec/users/@n7/kind", "x", true], ["/spec/users/@11", "y", false], ["/spec/other", "z", true]]);
  const [first, other] = box.querySelectorAll("input");
  assert.deepEqual([first.id, first.name, first.getAttribute("aria-describedby")], ["f.spec.users.@n7.name", "s:/spec/users/@n7/name", "f.spec.users.@n7.name-t other f.spec.users.@11"]);
  assert.deepEqual([other.id, other.name], ["f.spec.users.@11.name", "s:/spec/users/@11/name"]);
  assert.equal($("label").getAttribute("for"), "f.spec.users.@n7.name");
  assert.deepEqual([...box.querySelectorAll("button")].map((button) => button.value), ["/spec/users/@n7/roles", "/spec/users/@n7", "/spec/users/@1"]);
});

test("the control of a pointer is the one that is chosen, whatever it holds", async () => {
  const { module: { controlOf }, document } = await page('<form id="form"><input type="radio" name="s:/a" value="1"><input type="radio" name="s:/a" value="2" checked><input name="i:/b"><input name="e:/c"></form>', "form/pointers.js");
  const form = document.getElementById("form");
  assert.equal(controlOf(form, "/a").value, "2");
  assert.equal(controlOf(form, "/b").name, "i:/b");
  assert.equal(controlOf(form, "/c"), null);
});
