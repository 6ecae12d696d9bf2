// preview.js: the YAML beside the form is asked for while it is open, a second after the last change.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pass } from "../page.js";
import { form } from "./pages.js";

async function opened(options = {}) {
  const previews = [];
  const more = (request) => {
    const data = new Map(request.body);
    if (!data.has("~preview")) return undefined;
    previews.push(data);
    return { text: `<p>${data.get("s:/spec/title")}</p>` };
  };
  const shown = await form("gallery", { more, ...options });
  return { ...shown, previews, panel: shown.$("#form-preview"), button: shown.$("[data-preview]") };
}

test("closed, it asks for nothing", async () => {
  const shown = await opened();
  assert.equal(shown.panel.hidden, true);
  assert.equal(shown.button.hidden, false);
  await shown.fill("s:/spec/title", "fine");
  await pass(3000);
  assert.equal(shown.previews.length, 0);
});

test("open, it follows what is typed after a second's rest", async () => {
  const shown = await opened();
  await shown.press(shown.button);
  assert.equal(shown.panel.hidden, false);
  assert.equal(shown.button.getAttribute("aria-expanded"), "true");
  assert.equal(shown.previews.length, 1);
  await shown.fill("s:/spec/title", "f");
  await pass(500);
  await shown.fill("s:/spec/title", "fine");
  await pass(700);
  assert.equal(shown.previews.length, 1, "the user is still typing");
  await pass(600);
  assert.equal(shown.previews.length, 2);
  assert.equal(shown.panel.textContent.trim(), "fine");
  await shown.press(shown.button);
  assert.equal(shown.panel.hidden, true);
});

test("whether it is open is remembered", async () => {
  const shown = await opened();
  await shown.press(shown.button);
  assert.equal(localStorage.getItem("form-preview"), "1");
  await shown.press(shown.button);
  assert.equal(localStorage.getItem("form-preview"), "0");
});
