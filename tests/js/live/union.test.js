// union.js: what tabs subscribe to, as one subscription, and what of all that comes is whose.
import assert from "node:assert/strict";
import { test } from "node:test";
import { base, body, covers, forClient, parse, placed, query, unite } from "../../../static/js/live/union.js";

const rows = (topic, uids, moves) => ({ rows: [{ topic, ...(uids && { uids }), ...(moves !== undefined && { moves }) }], notices: [] });
const notices = (topic, names) => ({ rows: [], notices: [{ topic, ...(names && { names }) }] });
const both = (...asked) => unite(asked.map(parse));
const sent = (subscription, since) => JSON.parse(body(subscription, since));
const told = (event, data, more = {}) => ({ event, data: { topic: "t", ...data }, ...more });

test("a topic is what stands before its columns", () => {
  assert.equal(base("here/core/v1/pods/default?name,node"), "here/core/v1/pods/default");
  assert.equal(base("t"), "t");
});

test("rows of several tabs are one subscription: their uids together, all where one wants all, moves where one has them", () => {
  const subscription = both(rows("t", ["a", "b"], false), rows("t", ["b", "c"], true), rows("u", ["x"]), rows("u"), rows("t", ["c"], false));
  assert.deepEqual([...subscription.rows.get("t").uids], ["a", "b", "c"]);
  assert.equal(subscription.rows.get("t").moves, true);
  assert.equal(subscription.rows.get("u").uids, null);
  assert.equal(subscription.rows.get("u").moves, false);
});

test("names of several regions are one subscription, any where one wants any", () => {
  const subscription = both(notices("t", ["a"]), notices("t", ["b"]), notices("u", ["x"]), notices("u"));
  assert.deepEqual([...subscription.notices.get("t")], ["a", "b"]);
  assert.equal(subscription.notices.get("u"), null);
});

test("rows are drawn in the language of the one who asked last", () => {
  assert.equal(both({ ...rows("t"), language: "en" }, { ...rows("t"), language: "ko" }).language, "ko");
  assert.equal(both({ ...rows("t"), language: "en" }, rows("t")).language, "en");
});

test("a connection covers what it was opened for, and no more", () => {
  const open = both(rows("t", ["a", "b"], false), notices("n", ["x", "y"]), { rows: [], notices: [], language: "en" });
  const covered = (...asked) => covers(open, both(...asked));
  assert.ok(covered(rows("t", ["a"])));
  assert.ok(covered(notices("n", ["y"])));
  assert.ok(!covered(rows("t", ["a", "c"])));
  assert.ok(!covered(rows("t")));
  assert.ok(!covered(rows("t", ["a"], true)));
  assert.ok(!covered(rows("u", [])));
  assert.ok(!covered(notices("n", ["z"])));
  assert.ok(!covered(notices("n")));
  assert.ok(!covered(notices("m", ["x"])));
  assert.ok(!covered({ ...rows("t", ["a"]), language: "ko" }));
  const all = both(rows("t", undefined, true), notices("n"));
  assert.ok(covers(all, both(rows("t", ["a"]))) && covers(all, both(rows("t", ["a"], true))) && covers(all, both(notices("n", ["z"]))) && covers(all, both(rows("t"), notices("n"))));
});

test("it is sent with a name of its own for rows of a topic of which there are notices too", () => {
  const subscription = both(rows("t", ["a"]), notices("t", ["x"]), rows("u", ["b"]), notices("v"));
  assert.deepEqual(sent(subscription, "5-0@e"), {
    since: "5-0@e",
    rows: [{ topic: "t?", uids: ["a"], moves: false }, { topic: "u", uids: ["b"], moves: false }],
    notices: [{ topic: "t", names: ["x"] }, { topic: "v" }],
  });
  assert.equal("since" in sent(subscription, ""), false);
  assert.equal("language" in sent(subscription), false);
  assert.equal(sent({ ...subscription, language: "ko" }).language, "ko");
});

test("of more uids than the server takes only news are told", () => {
  const many = Array.from({ length: 4990 }, (_, number) => `u${number}`);
  const [one, other, third] = sent(both(rows("t", many), rows("u", many), rows("v"), notices("n", ["a", "b"]))).rows;
  assert.equal(one.uids.length, 4990);
  assert.equal(one.moves, false);
  assert.equal(other.uids.length, 8);
  assert.equal(other.moves, true);
  assert.deepEqual(third, { topic: "v", moves: false });
});

test("an older console is asked for topics alone, each once", () => {
  const subscription = both(rows("t", ["a"]), notices("t", ["x"]), notices("n"));
  assert.equal(String(query(subscription, "7")), "topic=t&notice=n&since=7");
  assert.equal(String(query(subscription, "")), "topic=t&notice=n");
});

test("what comes is for lists, for regions or for both, by its name", () => {
  const open = both(rows("t", ["a"]), notices("t"), notices("n"), rows("r", []));
  assert.deepEqual(placed({ topic: "t?", uid: "a" }, open), { topic: "t", uid: "a", part: "rows" });
  assert.deepEqual(placed({ topic: "t" }, open), { topic: "t", part: "notices" });
  assert.deepEqual(placed({ topic: "n" }, open), { topic: "n" });
  assert.deepEqual(placed({ topic: "r" }, open), { topic: "r" });
  assert.deepEqual(placed({ topic: "r?x" }, open), { topic: "r?x" });
  assert.deepEqual(placed({ part: "worker" }, open), { part: "worker" });
});

test("a tab is told its own rows; that another row of its lists has come or gone; nothing of others", () => {
  const subscription = both(rows("t", ["a"]));
  const own = told("row", { uid: "a", name: "a", namespace: "d", version: "2", html: "<tr>" });
  assert.deepEqual(forClient([own], subscription), [own]);
  assert.deepEqual(forClient([told("row", { uid: "b", name: "b", namespace: "d", version: "3" })], subscription), []);
  assert.deepEqual(forClient([told("added", { uid: "b", name: "b", namespace: "d", version: "3" }, { id: "9" })], subscription), [
    { event: "changed", id: "9", data: { topic: "t", part: undefined, version: "3", names: [["d", "b"]], quiet: false } },
  ]);
  assert.deepEqual(forClient([told("gone", { topic: "u", uid: "a" })], subscription), []);
  const every = both(rows("t"));
  const other = told("row", { uid: "z" });
  assert.deepEqual(forClient([other], every), [other]);
});

test("where rows may move, a change of any row is news, and a quiet one", () => {
  const [news] = forClient([told("row", { uid: "b", name: "b", namespace: "d", version: "3" })], both(rows("t", ["a"], true)));
  assert.equal(news.event, "changed");
  assert.equal(news.data.quiet, true);
});

test("a region is told of the objects that it is about", () => {
  const subscription = both(notices("t", ["x"]));
  const event = (name, kind = "row") => forClient([told(kind, { uid: "1", name, namespace: "d", version: "3" })], subscription);
  assert.equal(event("x").length, 1);
  assert.equal(event("x")[0].event, "changed");
  assert.equal(event("y").length, 0);
  assert.equal(event("x", "gone")[0].data.quiet, false);
  const changed = (names) => forClient([told("changed", { names })], subscription).length;
  assert.equal(changed([["d", "y"]]), 0);
  assert.equal(changed([["d", "y"], ["d", "x"]]), 1);
  assert.equal(changed(undefined), 1);
});

test("news for lists are not for regions, nor the other way round", () => {
  const list = both(rows("t", ["a"]));
  const region = both(notices("t"));
  const event = (part) => told("added", { uid: "b", name: "b", namespace: "d", version: "1", part });
  assert.equal(forClient([event("notices")], list).length, 0);
  assert.equal(forClient([event("rows")], list).length, 1);
  assert.equal(forClient([event("rows")], region).length, 0);
  assert.equal(forClient([event("notices")], region).length, 1);
  for (const kind of ["resync", "changed"]) {
    assert.equal(forClient([told(kind, { part: "notices" })], list).length, 0);
    assert.equal(forClient([told(kind, { part: "rows" })], region).length, 0);
    assert.equal(forClient([told(kind, {})], region).length, 1);
  }
});

test("many changes of a topic are one, with the last version and all names", () => {
  const event = (kind, name, version) => told(kind, { uid: name, name, namespace: "d", version });
  const [news, ...more] = forClient([event("row", "b", "3"), event("row", "c", "4"), event("added", "e", "5")], both(rows("t", ["a"], true)));
  assert.deepEqual(more, []);
  assert.deepEqual(news.data, { topic: "t", part: undefined, version: "5", names: [["d", "b"], ["d", "c"], ["d", "e"]], quiet: false });
});

test("what is paused or refused concerns whoever shows the topic, in whichever columns", () => {
  for (const event of ["paused", "resumed", "refused"]) {
    assert.equal(forClient([told(event, { topic: "t" })], both(rows("t?name", ["a"]))).length, 1);
    assert.equal(forClient([told(event, { topic: "t" })], both(notices("t", ["x"]))).length, 1);
    assert.equal(forClient([told(event, { topic: "u" })], both(rows("t"), notices("n"))).length, 0);
  }
});

test("what is about no topic is for everybody", () => {
  const message = { event: "health", data: { part: "worker", ready: false } };
  assert.deepEqual(forClient([message, { event: "ended" }], both(rows("t", []))), [message, { event: "ended" }]);
});
