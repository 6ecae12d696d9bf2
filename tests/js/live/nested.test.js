// A region inside a region: each fetches itself, and the outer one leaves the inner one as it is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../page.js";

const OUTER = '<div id="outer" data-live="t"><p>old</p><div id="inner" data-live="t u"><details id="more"><p>cause</p></details></div></div>';

test("an inner region is left as it is, and laid anew by itself", async () => {
  const { module, document } = await page(OUTER, "live/morph.js");
  const [outer, inner] = [document.getElementById("outer"), document.getElementById("inner")];
  module.morph(outer, '<div id="outer" data-live="t"><p>new</p><div id="inner" hx-get="?part=inner"></div></div>');
  assert.equal(outer.querySelector("p").textContent, "new");
  assert.equal(document.getElementById("inner"), inner);
  assert.equal(inner.dataset.live, "t u");
  assert.equal(inner.querySelector("details p").textContent, "cause");
  module.morph(inner, '<div id="inner" data-live="t"></div>');
  assert.equal(inner.dataset.live, "t");
  assert.equal(inner.textContent, "");
});
