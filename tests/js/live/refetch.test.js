// refetch.js: a list or a region is fetched again soon, never twice at once, always once more after the last news, and ever more seldom.
import assert from "node:assert/strict";
import { test } from "node:test";
import { busy, pageOf, pass, settled } from "../page.js";

const HTML = '<table><tbody id="rows" data-live-rows="t" data-live-url="/rows"><tr id="row-a"><td>old</td></tr></tbody></table><section id="region" data-live="t" data-live-url="/region"><p>old</p></section>';

async function lists(answer) {
  const shown = await pageOf({ html: HTML, answer }, "live/heard.js", "live/refetch.js");
  let reloads = 0;
  Object.defineProperty(globalThis, "location", { value: { href: "http://console.test/", reload: () => { reloads += 1; } }, configurable: true, writable: true });
  const { refetch } = shown.module;
  return { ...shown, refetch, heard: shown.modules[0], rows: shown.$("#rows"), region: shown.$("#region"), reloads: () => reloads, text: () => shown.$("#rows").textContent.trim() };
}
const row = (text) => ({ text: `<tr id="row-a"><td>${text}</td></tr>` });

test("never twice at once, and once more after the last news", async () => {
  const gates = [];
  const { refetch, rows, requests, text } = await lists(() => new Promise((done) => { gates.push(done); }));
  refetch(rows);
  refetch(rows);
  await pass(60);
  assert.equal(requests.length, 1);
  refetch(rows);
  refetch(rows);
  await pass(3000);
  assert.equal(requests.length, 1);
  gates[0](row("first"));
  await pass(12_000);
  assert.equal(requests.length, 2);
  gates[1](row("second"));
  await pass(20_000);
  assert.equal(text(), "second");
  assert.equal(requests.length, 2);
});

test("what is told to change all the time is fetched ever more seldom, and soon again after a rest", async () => {
  const { refetch, rows, requests } = await lists(() => row("x"));
  for (let turn = 0; turn < 300; turn += 1) { refetch(rows, 50, 250); await pass(100); }
  const { length } = requests;
  assert.ok(length >= 10 && length <= 25, length);
  await pass(30_000);
  for (let turn = 0; turn < 10; turn += 1) { refetch(rows, 50, 250); await pass(100); }
  assert.ok(requests.length - length >= 4, requests.length - length);
});

test("what takes the server long is asked for a quarter of the time at most", async () => {
  const { refetch, rows, requests } = await lists(() => { busy(1000); return row("x"); });
  for (let turn = 0; turn < 100; turn += 1) { refetch(rows, 50, 250); await pass(100); }
  assert.ok(requests.length <= 4, requests.length);
});

test("after a failure it is asked again, ever later, until it is there", async () => {
  let status = 500;
  const { refetch, rows, requests, text } = await lists(() => ({ status, ...row("there") }));
  refetch(rows);
  await pass(20_000);
  assert.ok(requests.length >= 5 && requests.length <= 12, requests.length);
  assert.equal(text(), "old");
  status = 200;
  await pass(5000);
  assert.equal(text(), "there");
  const { length } = requests;
  await pass(20_000);
  assert.equal(requests.length, length);
});

test("a server that never answers is given up, and asked again", async () => {
  let first = true;
  const { refetch, rows, requests } = await lists(({ signal }) => {
    if (!first) return row("x");
    first = false;
    return new Promise((_, reject) => { signal.addEventListener("abort", () => reject(new Error("aborted"))); });
  });
  refetch(rows);
  await pass(29_000);
  assert.equal(requests.length, 1);
  await pass(3000);
  assert.equal(requests.length, 2);
});

test("what is gone or refused is said in a region's place; a list keeps what it shows; others are left alone", async () => {
  for (const status of [403, 404, 410]) {
    const { refetch, rows, region, text } = await lists(() => ({ status, text: `<p>${status}</p>` }));
    refetch(rows);
    refetch(region);
    await pass(2000);
    assert.equal(text(), "old");
    assert.equal(region.textContent.trim(), String(status));
  }
  for (const status of [401, 204]) {
    const { refetch, rows, requests, text } = await lists(() => ({ status, ...row("never") }));
    refetch(rows);
    await pass(20_000);
    assert.deepEqual([text(), requests.length], ["old", 1]);
  }
});

test("an answer to another question is not shown: it is asked anew", async () => {
  const gates = [];
  const { refetch, rows, requests, text } = await lists(() => new Promise((done) => { gates.push(done); }));
  refetch(rows);
  await pass(60);
  rows.dataset.liveUrl = "/rows?q=x";
  gates[0](row("unfiltered"));
  await settled();
  assert.equal(text(), "old");
  assert.match(requests[1].url, /q=x$/);
  gates[1](row("filtered"));
  await pass(60);
  assert.equal(text(), "filtered");
});

test("it says what it is, and how new its answer has to be; a page that has moved is loaded", async () => {
  let more = {};
  const { refetch, rows, requests, heard, reloads } = await lists(() => ({ ...row("x"), ...more }));
  heard.hearVersion("t?name", "7");
  heard.hearVersion("t", "5");
  refetch(rows);
  await pass(60);
  assert.equal(requests[0].headers["X-Live-Version"], "7");
  assert.equal(requests[0].headers["HX-Target"], "rows");
  assert.equal(reloads(), 0);
  more = { redirected: true, url: "http://console.test/sign-in/" };
  await pass(10_000);
  for (const next of [more, { headers: { "HX-Refresh": "true" } }]) { more = next; refetch(rows); await pass(10_000); }
  assert.equal(reloads(), 2);
});

test("what left the page is not fetched", async () => {
  const { refetch, rows, requests } = await lists(() => row("x"));
  refetch(rows);
  rows.remove();
  await pass(1000);
  assert.equal(requests.length, 0);
});
