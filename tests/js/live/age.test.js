// age.js: ages as `kubectl get` writes them (duration.HumanDuration), moments, and what of a page is dressed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { now, page } from "../page.js";

const [MINUTE, HOUR, DAY, YEAR] = [60, 3600, 86_400, 31_536_000];

test("ages are kubectl's", async () => {
  const { age } = (await page("", "live/age.js")).module;
  for (const [seconds, words] of [
    [0, "0s"], [119, "119s"], [120, "2m"], [121, "2m1s"], [9 * MINUTE + 59, "9m59s"], [10 * MINUTE, "10m"], [10 * MINUTE + 30, "10m"], [2 * HOUR + 59 * MINUTE, "179m"],
    [3 * HOUR, "3h"], [3 * HOUR + MINUTE, "3h1m"], [7 * HOUR + 59 * MINUTE, "7h59m"], [8 * HOUR + 30 * MINUTE, "8h"], [47 * HOUR, "47h"], [2 * DAY, "2d"], [2 * DAY + 5 * HOUR, "2d5h"],
    [7 * DAY + 23 * HOUR, "7d23h"], [8 * DAY + HOUR, "8d"], [729 * DAY, "729d"], [2 * YEAR, "2y"], [2 * YEAR + 5 * DAY, "2y5d"], [7 * YEAR + 364 * DAY, "7y364d"], [8 * YEAR + DAY, "8y"],
  ]) assert.equal(age(seconds), words, `${seconds}`);
});

test("in the reader's language, with what stands between two parts", async () => {
  const { age, words } = (await page("", "live/age.js")).module;
  const korean = words({ ageUnits: "초 분 시간 일 년", agePair: "%1 %2" });
  assert.equal(age(125, korean), "2분 5초");
  assert.equal(age(3 * HOUR, korean), "3시간");
  assert.deepEqual(words({ ageUnits: "a b" }), { units: ["s", "m", "h", "d", "y"], pair: "%1%2" });
});

test("times of a page are dressed as the reader prefers them; others are left alone", async () => {
  const { module, document, $, $$ } = await page('<time data-age></time><time data-age datetime="never">as it was</time><time>not ours</time>', "live/age.js");
  const [first] = $$("time");
  first.setAttribute("datetime", new Date(now() - 125_000).toISOString());
  module.tick();
  assert.deepEqual($$("time").map((time) => time.textContent), ["2m5s", "as it was", "not ours"]);
  // A clock that is behind the server's: nothing is younger than now.
  first.setAttribute("datetime", new Date(now() + 5000).toISOString());
  module.dress(document);
  assert.equal($("time").textContent, "0s");
  document.documentElement.dataset.times = "utc";
  module.tick();
  assert.equal($("time").textContent, new Date(now() + 5000).toISOString().replace(/\.\d+/, ""));
});

test("moments are on the reader's clock, or in UTC", async () => {
  const { moment } = (await page("", "live/age.js")).module;
  const at = new Date(2026, 2, 4, 5, 6, 7);
  assert.equal(moment(at.getTime(), "local"), "2026-03-04 05:06:07");
  assert.equal(moment(Date.UTC(2026, 2, 4, 5, 6, 7), "utc"), "2026-03-04T05:06:07Z");
});
