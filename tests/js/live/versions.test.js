// versions.js: never backwards, and what is gone stays gone, until lists have said otherwise for long.
import assert from "node:assert/strict";
import { test } from "node:test";
import { page, pass } from "../page.js";

const versions = async () => (await page("", "live/versions.js")).module;

test("versions are whole numbers of any length; what is none is in the order of arrival", async () => {
  const { newest, older } = await versions();
  assert.ok(older("9", "10") && !older("10", "9") && !older("10", "10"));
  assert.ok(older("99999999999999999998", "99999999999999999999"));
  assert.ok(older("99999999999999999999", "100000000000000000000"));
  assert.ok(older("007", "8") && !older("010", "9") && !older("0", "00"));
  for (const odd of ["", "x1", "1.5", "-1", undefined, null]) assert.ok(!older(odd, "5") && !older("5", odd), String(odd));
  assert.equal(newest("5", "7"), "7");
  assert.equal(newest("7", "5"), "7");
  assert.equal(newest("", "5"), "5");
  assert.equal(newest(undefined, undefined), "");
  assert.equal(newest("5", ""), "5");
});

test("what is older than what was shown is stale, by the page or by what is known", async () => {
  const { note, stale } = await versions();
  assert.ok(!stale("a", "5"));
  assert.ok(stale("a", "5", "6"));
  assert.ok(!stale("a", "6", "6"));
  note("a", "10");
  assert.ok(stale("a", "9") && !stale("a", "10") && !stale("a", "11"));
  note("a", "8");
  assert.ok(stale("a", "9"));
  assert.ok(!stale("b", "1"));
});

test("what is gone comes back only as something newer", async () => {
  const { note, stale } = await versions();
  note("a", "10", true);
  assert.ok(stale("a", "10") && stale("a", "9") && !stale("a", "11"));
  note("a", "10");
  assert.ok(stale("a", "10"));
  note("a", "11");
  assert.ok(!stale("a", "11") && stale("a", "10"));
});

test("a list that says so for half a minute is right", async () => {
  const { note, stale, staleInList } = await versions();
  note("a", "10");
  assert.ok(staleInList("a", "5"));
  await pass(20_000);
  assert.ok(staleInList("a", "5"));
  await pass(11_000);
  assert.ok(!staleInList("a", "5"));
  assert.ok(!stale("a", "5"));
});

test("a list that caught up in between begins anew", async () => {
  const { note, staleInList } = await versions();
  note("a", "10");
  assert.ok(staleInList("a", "5"));
  await pass(20_000);
  assert.ok(!staleInList("a", "10"));
  await pass(11_000);
  assert.ok(staleInList("a", "5"));
});

test("what was not touched for a minute is forgotten, and no more than some thousands are known", async () => {
  const { note, stale } = await versions();
  note("a", "10");
  await pass(61_000);
  note("b", "1");
  assert.ok(!stale("a", "5"));
  note("c", "10");
  for (let number = 0; number < 4000; number += 1) note(`x${number}`, "1");
  assert.ok(!stale("c", "5"));
  assert.ok(stale("x3999", "0") && stale("x500", "0"));
});
