// stream.js and shared_stream.js: one connection for whoever wants topics of it, in the order of who comes and goes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pass, pageOf, settled } from "../page.js";
import { OTHER, Site, TOPIC } from "./site.js";

const rows = (topic, uids, more = {}) => ({ rows: [{ topic, uids }], notices: [], ...more });
const QUIET = 20_000;

async function opened(set) {
  const site = new Site(set);
  const told = [];
  const { module } = await pageOf({ answer: (request) => site.answer(request) }, "live/stream.js");
  const stream = new module.Stream((messages) => told.push(...messages), "/stream");
  const say = (event, data, id) => site.send(`${id ? `id: ${id}\n` : ""}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  return { site, stream, told, say, module, events: () => told.map(({ event }) => event) };
}

test("it asks once for what all want, from the earliest position that one needs", async () => {
  const { site, stream } = await opened();
  stream.want("one", rows(TOPIC, ["a"], { since: "2000-0@e" }));
  stream.want("two", rows(OTHER, ["s"], { since: "1500-0@e" }));
  await pass(100);
  assert.equal(site.subscriptions.length, 1);
  assert.equal(site.subscriptions[0].since, "1500-0@e");
  assert.deepEqual(site.subscriptions[0].rows.map(({ topic }) => topic), [TOPIC, OTHER]);
});

test("positions are compared as moments", async () => {
  const { module } = await opened();
  assert.equal(module.earlier("900-5@e", "1000-0@e"), "900-5@e");
  assert.equal(module.earlier("1000-0@e", "900-5@e"), "900-5@e");
  assert.equal(module.milliseconds("1700000000123-4@e"), 1700000000123);
  assert.equal(module.milliseconds(""), 0);
  assert.equal(module.milliseconds(undefined), 0);
});

test("a tab whose subscription is covered opens nothing, and is told what it missed", async () => {
  const { site, stream, say } = await opened();
  site.clock = 1400;
  stream.want("one", rows(TOPIC, ["a", "b"], { since: "1500-0@e" }));
  await pass(100);
  await say("row", { topic: TOPIC, uid: "a", version: "1" }, "2000-0@e");
  await say("row", { topic: TOPIC, uid: "b", version: "2" }, "2600-0@e");
  await say("row", { topic: TOPIC, uid: "a", version: "3" }, "3000-0@e");
  const told = stream.want("two", rows(TOPIC, ["a"], { since: "2500-0@e" }));
  assert.deepEqual(told.map(({ data }) => data.version), ["3"]);
  assert.deepEqual(stream.want("one", rows(TOPIC, ["a"], { since: "2500-0@e" })), []);
  await pass(QUIET);
  assert.equal(site.subscriptions.length, 1);
});

test("a message without a position of its own may be younger than the one before it", async () => {
  const { stream, say, site } = await opened();
  site.clock = 1400;
  stream.want("one", rows(TOPIC, ["a"], { since: "1500-0@e" }));
  await pass(100);
  await say("row", { topic: TOPIC, uid: "a", version: "1" }, "2000-0@e");
  await say("row", { topic: TOPIC, uid: "a", version: "2" });
  const told = stream.want("two", rows(TOPIC, ["a"], { since: "2100-0@e" }));
  assert.deepEqual(told.map(({ data, id }) => [data.version, id]), [["2", "2000-0@e"]]);
});

test("a tab that needs what came before the connection opens it anew", async () => {
  const { site, stream } = await opened();
  stream.want("one", rows(TOPIC, ["a"], { since: "3000-0@e" }));
  await pass(100);
  assert.deepEqual(stream.want("two", rows(TOPIC, ["a"], { since: "1000-0@e" })), []);
  await pass(1200);
  assert.equal(site.subscriptions.length, 2);
  assert.equal(site.subscriptions[1].since, "1000-0@e");
  assert.equal(site.connections.size, 1);
});

test("what is no longer known of the past is asked for anew", async () => {
  const { site, stream, say } = await opened();
  site.clock = 1400;
  stream.want("one", rows(TOPIC, ["a"], { since: "1500-0@e" }));
  await pass(100);
  for (let at = 0; at < 310; at += 1) await say("row", { topic: TOPIC, uid: "a", version: String(at) }, `${2000 + at}-0@e`);
  assert.equal(stream.want("late", rows(TOPIC, ["a"], { since: "2300-0@e" })).length, 10);
  stream.want("later", rows(TOPIC, ["a"], { since: "2005-0@e" }));
  await pass(1500);
  assert.equal(site.subscriptions.length, 2);
});

test("subscriptions that come in a burst are one connection, a second apart", async () => {
  const { site, stream } = await opened();
  stream.want("one", rows(TOPIC, ["a"]));
  await pass(50);
  for (const uid of ["b", "c", "d"]) { stream.want("one", rows(TOPIC, [uid])); await pass(100); }
  assert.equal(site.subscriptions.length, 1);
  await pass(1000);
  assert.equal(site.subscriptions.length, 2);
  assert.deepEqual(site.subscriptions[1].rows[0].uids, ["d"]);
  await pass(5000);
  stream.want("one", rows(TOPIC, ["e"]));
  await pass(150);
  assert.equal(site.subscriptions.length, 2);
  await pass(100);
  assert.equal(site.subscriptions.length, 3);
});

test("when nobody is left it closes, and whoever comes opens it", async () => {
  const { site, stream } = await opened();
  stream.want("one", rows(TOPIC, ["a"]));
  stream.want("two", rows(TOPIC, ["a"]));
  await pass(100);
  stream.leave("one");
  await pass(100);
  assert.equal(site.connections.size, 1);
  stream.leave("two");
  await pass(100);
  assert.equal(site.connections.size, 0);
  await pass(QUIET);
  assert.equal(site.subscriptions.length, 1);
  stream.want("three", rows(TOPIC, ["a"]));
  await pass(100);
  assert.equal(site.subscriptions.length, 2);
});

test("after a break it goes on from where it heard last, ever more seldom while it fails", async () => {
  const { site, stream, say, events } = await opened();
  stream.want("one", rows(TOPIC, ["a"], { since: "1000-0@e" }));
  await pass(100);
  await say("row", { topic: TOPIC, uid: "a", version: "1" }, "7000-0@e");
  site.answers.POST = 503;
  await site.send(null);
  await pass(4000);
  const tries = site.methods.length;
  assert.ok(tries >= 3 && tries <= 7, tries);
  await pass(60_000);
  const more = site.methods.length - tries;
  assert.ok(more >= 10 && more <= 26, more);
  delete site.answers.POST;
  await pass(5100);
  assert.equal(site.subscriptions.at(-1).since, "7000-0@e");
  assert.deepEqual(events().filter((event) => event === "opened").length, 2);
});

test("a short break is nobody's business, a long one is said, and its end", async () => {
  const { site, stream, told } = await opened();
  const states = () => told.filter(({ event }) => event === "state").map(({ data }) => data.connected);
  stream.want("one", rows(TOPIC, ["a"]));
  await pass(100);
  await site.send(null);
  await pass(2000);
  assert.deepEqual(states(), [true]);
  site.answers.POST = 503;
  await site.send(null);
  await pass(QUIET);
  assert.deepEqual(states(), [true, false]);
  delete site.answers.POST;
  await pass(6000);
  assert.deepEqual(states(), [true, false, true]);
});

test("a line that is quiet for longer than the server ever is, is dead", async () => {
  const { site, stream } = await opened();
  stream.want("one", rows(TOPIC, ["a"]));
  await pass(30_000);
  await site.send("id: 9000-0@e\n\n");
  await pass(30_000);
  assert.equal(site.subscriptions.length, 1);
  await pass(12_000);
  assert.equal(site.subscriptions.length, 2);
  // A heartbeat says how far the streams were read.
  assert.equal(site.subscriptions[1].since, "9000-0@e");
});

test("messages are whole, however they were cut on the way", async () => {
  const { site, stream, told } = await opened();
  stream.want("one", rows(TOPIC, ["a"]));
  await pass(100);
  const text = `id: 7000-0@e\nevent: row\ndata: ${JSON.stringify({ topic: TOPIC, uid: "a", html: "x: y" })}\n\nevent: health\ndata: {"part": "p"}\n\n`;
  for (const piece of [text.slice(0, 20), text.slice(20, 50), text.slice(50)]) await site.send(piece);
  const [row, health] = told.slice(-2);
  assert.deepEqual([row.event, row.data.html, row.id], ["row", "x: y", "7000-0@e"]);
  assert.deepEqual([health.event, health.id], ["health", "7000-0@e"]);
});

test("too many connections are said and tried again; a session that is over is not", async () => {
  const { site, stream, told } = await opened({ answers: { POST: 429 }, refusal: " too many \n" });
  stream.want("one", rows(TOPIC, ["a"]));
  await pass(100);
  assert.deepEqual(told.filter(({ event }) => event === "refused").map(({ data }) => data), [{ topic: TOPIC, message: "too many", lasting: false }]);
  await pass(6000);
  assert.ok(site.methods.length > 1);
  site.answers.POST = 401;
  await pass(6000);
  assert.equal(told.at(-1).event, "ended");
  const tried = site.methods.length;
  await pass(QUIET);
  assert.equal(site.methods.length, tried);
});

test("a refusal of everything names each topic without its columns, and nobody asks again", async () => {
  const { site, stream, told } = await opened({ answers: { POST: 403 }, refusal: "no" });
  stream.want("one", { rows: [{ topic: `${TOPIC}?name`, uids: [] }], notices: [{ topic: OTHER }] });
  await pass(QUIET);
  assert.deepEqual(told.filter(({ event }) => event === "refused").map(({ data }) => [data.topic, data.lasting]), [[TOPIC, true], [OTHER, true]]);
  assert.equal(site.methods.length, 1);
});

test("who comes later is told what is paused", async () => {
  const { stream, say } = await opened();
  stream.want("one", { rows: [{ topic: TOPIC, uids: ["a"] }], notices: [{ topic: OTHER }] });
  await pass(100);
  await say("paused", { topic: TOPIC, message: "no" });
  await say("paused", { topic: OTHER, message: "no" });
  await say("resumed", { topic: OTHER });
  const told = stream.want("two", { ...rows(TOPIC, ["a"]), since: "9999999999999-0@e" });
  assert.deepEqual(told.map(({ event, data }) => [event, data.topic]), [["paused", TOPIC]]);
});

test("what a connection before said is paused, is nobody's any more", async () => {
  const { site, stream, say } = await opened();
  stream.want("one", rows(TOPIC, ["a"]));
  await pass(100);
  await say("paused", { topic: TOPIC, message: "no" });
  await site.send(null);
  await pass(1500);
  assert.equal(site.subscriptions.length, 2);
  assert.deepEqual(stream.want("two", { ...rows(TOPIC, ["a"]), since: "9999999999999-0@e" }), []);
});

// The worker of all tabs.

async function worker(set) {
  const site = new Site(set);
  let connect;
  await pageOf({ answer: (request) => site.answer(request), before: () => { globalThis.name = "operator-console /stream ann"; globalThis.addEventListener = (event, call) => { connect = call; }; } }, "shared_stream.js");
  const tab = () => {
    const heard = [];
    const port = { postMessage: (messages) => heard.push(...messages) };
    connect({ ports: [port] });
    return { heard, send: (data) => { port.onmessage({ data }); return settled(); }, rows: () => heard.filter(({ event }) => event === "row").map(({ data }) => data.uid) };
  };
  return { site, tab };
}

test("tabs are one connection, and each is told what it shows", async () => {
  const { site, tab } = await worker();
  const [one, two] = [tab(), tab()];
  await one.send({ want: rows(TOPIC, ["a"]) });
  await two.send({ want: rows(OTHER, ["s"]) });
  await pass(100);
  assert.equal(site.connections.size, 1);
  await site.send(`event: row\ndata: {"topic": "${TOPIC}", "uid": "a"}\n\nevent: row\ndata: {"topic": "${OTHER}", "uid": "s"}\n\nevent: row\ndata: {"topic": "${OTHER}", "uid": "x"}\n\n`);
  assert.deepEqual(one.rows(), ["a"]);
  assert.deepEqual(two.rows(), ["s"]);
});

test("a tab that comes later is told the connection's state and what is not well", async () => {
  const { site, tab } = await worker();
  const one = tab();
  await one.send({ want: rows(TOPIC, ["a"]) });
  await pass(100);
  await site.send('event: health\ndata: {"part": "worker", "ready": false, "message": "none"}\n\n');
  const two = tab();
  await two.send({ want: rows(TOPIC, ["a"]) });
  assert.deepEqual(two.heard.map(({ event }) => event), ["state", "health"]);
  assert.equal(two.heard[0].data.connected, true);
});

test("a tab that says it lives is told how far the connection is", async () => {
  const { site, tab } = await worker();
  const one = tab();
  await one.send({ want: rows(TOPIC, ["a"]) });
  await pass(100);
  await site.send("id: 8000-0@e\n\n");
  await one.send({});
  assert.deepEqual([one.heard.at(-1).event, one.heard.at(-1).id], ["at", "8000-0@e"]);
});

test("tabs that leave, and those that are not heard any more, are nobody's", async () => {
  const { site, tab } = await worker();
  const [one, two] = [tab(), tab()];
  await one.send({ want: rows(TOPIC, ["a"]) });
  await two.send({ want: rows(TOPIC, ["a"]) });
  await pass(100);
  await one.send({ bye: true });
  await pass(100);
  assert.equal(site.connections.size, 1);
  for (let turn = 0; turn < 5; turn += 1) { await pass(35_000); await two.send({}); await site.send("id: 8001-0@e\n\n"); }
  assert.equal(site.connections.size, 1);
  for (let turn = 0; turn < 8; turn += 1) { await pass(30_000); await site.send("id: 8001-0@e\n\n"); }
  assert.equal(site.connections.size, 0);
});
