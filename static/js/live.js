// Every page needs this to update by itself: rows, regions, ages and the health banner. Without it a reload shows what changed.
//   <tbody data-live-rows="TOPIC TOPIC" data-live-url="…">  rows are <tr id="row-{uid}" data-version="…">; TOPIC?COLUMNS for columns of its own; data-live-moves: rows may change places
//   <button data-live-new="rows" data-text="{n} new" hidden>  while somebody is in that list, new rows wait behind it (live/arrivals.js)
//   <span id="…" data-live-along>  renewed with the list or region whose answer brings it, wherever it stands
//   <section id="…" data-live="TOPIC TOPIC" data-live-names="name name" data-live-url="…">  data-live-every: milliseconds between two fetches at least
//   data-live-again: milliseconds after which one of these is fetched without being told (live/again.js)
import "./live/again.js";
import { tick } from "./live/age.js";
import { buries, bury } from "./live/arrivals.js";
import { ended, health, opened, refused, said, state } from "./live/banner.js";
import { selecting, takeLeft, uidOf } from "./live/guard.js";
import { hearVersion, resetVersion } from "./live/heard.js";
import { leave } from "./live/marks.js";
import { morph, rowFrom } from "./live/morph.js";
import { Queue } from "./live/queue.js";
import { holdSelected, refetch } from "./live/refetch.js";
import { earlier, Stream } from "./live/stream.js";
import { base, forClient, parse } from "./live/union.js";
import { note, stale } from "./live/versions.js";
import { regions, rowLists, subscription, words } from "./live/subscription.js";

const HIDDEN_FOR = 60000; // a tab that nobody looks at for so long lets its topics go
const SETTLE = 200; // a page that changes says what it shows now, when it is done
const APART = 400; // a resync reaches all browsers at once: they do not all come at once
const rowOf = (list, uid) => uid && list.querySelector(`#${CSS.escape(`row-${uid}`)}`);

function show({ event, data, listed }) {
  const late = event === "resync" ? APART * Math.random() : 0;
  if (data.part !== "notices") for (const list of rowLists()) if (words(list.dataset.liveRows).includes(data.topic)) showRow(list, event, data, listed, late);
  if (data.part !== "rows") for (const region of regions()) {
    if (!words(region.dataset.live).includes(data.topic) || region.closest("[data-live-paused]")) continue;
    const names = words(region.dataset.liveNames);
    const told = data.names?.map(([, name]) => name) ?? (data.name && [data.name]);
    if (!told || !names.length || told.some((name) => names.includes(name))) refetch(region, 20 + late, Number(region.dataset.liveEvery) || 250);
  }
  if (event === "gone") note(data.uid, data.version, true);
}

function showRow(list, event, data, listed, late) {
  const row = rowOf(list, data.uid);
  const moves = list.hasAttribute("data-live-moves");
  if (event === "row" && data.html) {
    if (row && !stale(data.uid, data.version, row.dataset.version)) {
      // Text that somebody selects stays; the list brings the row when he is done.
      if (selecting(row)) return holdSelected(list, row, selecting);
      morph(row, rowFrom(data.html));
      note(data.uid, data.version);
    }
    // Filtered by state or sorted, a list may lose the row, gain it, or have it elsewhere.
    if (!moves && !listed) return;
  }
  if (event === "changed" && data.quiet && !moves) return;
  if (event === "gone" && row) (buries(list) ? bury : leave)(row);
  refetch(list, 50 + late, 1000);
}

const queue = new Queue(show);
const barred = new Set(); // topics that this page may not follow
let last = ""; // the position that was heard
let over = false; // the session
function hear(messages) {
  for (const { event, data, id } of messages) {
    if (id) last = id;
    if (event === "health") health(data);
    else if (event === "state") state(data);
    else if (event === "opened") opened();
    else if (event === "paused" || event === "resumed") said(data.topic, data.message, event === "paused");
    else if (event === "ended") { over = true; ended(data); connection.bye(); }
    else if (event === "refused") {
      if (!data.lasting) continue;
      barred.add(base(data.topic));
      // A type that is gone is no trouble of the page: it is shown anew, without it.
      if (data.gone) queue.push({ event: "resync", data: { topic: data.topic } });
      else refused(data.topic, data.message);
      soon();
    } else if (data?.topic) {
      if (data.version) (event === "resync" ? resetVersion : hearVersion)(data.topic, data.version);
      queue.push({ event, data });
    }
  }
}

// The connection: shared by all tabs of this cluster where the browser can. The worker knows by its name the stream's address, and as whom the pages were made.
function connect() {
  const { stream: address = "/stream" } = document.documentElement.dataset;
  if (typeof SharedWorker === "function") {
    try {
      const program = new URL(`shared_stream.js${new URL(import.meta.url).search}`, import.meta.url);
      const { port } = new SharedWorker(program, { type: "module", name: `operator-console ${address} ${document.body.dataset.who ?? ""}` });
      port.onmessage = ({ data }) => hear(data);
      return { want: (asked) => port.postMessage({ want: asked }), alive: () => port.postMessage({}), bye: () => port.postMessage({ bye: true }) };
    } catch { /* private windows of some browsers refuse: then this tab has a connection of its own */ }
  }
  let own = parse({ rows: [], notices: [] });
  const stream = new Stream((messages) => hear(forClient(messages, own)), address);
  return {
    want: (asked) => { own = parse(asked); hear(stream.want("page", asked)); },
    alive: () => hear([{ event: "at", id: stream.last }]),
    bye: () => stream.leave("page"),
  };
}
const connection = connect();

let born = document.querySelector("[data-live-since]")?.dataset.liveSince ?? ""; // the position of what has been brought since the last subscription; null: nothing
let paused = null;
function want() {
  if (over) return;
  connection.want({ ...subscription(barred), since: paused ?? born ?? last });
  paused = born = null;
  health();
}
let asking;
function soon(since) {
  if (since) born = born === null ? since : earlier(born, since);
  clearTimeout(asking);
  if (paused === null) asking = setTimeout(want, SETTLE);
}

// The page has been brought something: rows and regions of its own topics, which must not miss what came while it was under way.
document.addEventListener("live:laid", ({ target, detail: { since, left } }) => {
  for (const [node, why] of left) if (why === "selected") holdSelected(target, node, selecting);
  soon(since || last);
});
const LIVE = "[data-live], [data-live-rows]";
const asked = new WeakMap(); // request → the position at which it was sent
document.addEventListener("htmx:beforeRequest", ({ detail }) => asked.set(detail.xhr, last));
for (const name of ["htmx:afterSettle", "htmx:historyRestore"]) {
  document.addEventListener(name, ({ target, detail }) => {
    if (!target.closest?.(LIVE) && !target.querySelector?.(LIVE)) return;
    for (const row of document.querySelectorAll("[data-live-rows] tr[id^='row-']")) note(uidOf(row), row.dataset.version);
    if (takeLeft().some(([, why]) => why === "stale")) for (const list of rowLists()) refetch(list, 500);
    soon(detail?.xhr?.getResponseHeader("X-Live-Since") || asked.get(detail?.xhr) || document.body.dataset.liveSince);
  });
}
// A region that was paused goes on.
document.addEventListener("live:resume", ({ target }) => { if (target.matches("[data-live]")) refetch(target, 0, 0); });

let timer;
document.addEventListener("visibilitychange", () => {
  clearTimeout(timer);
  if (document.hidden) timer = setTimeout(() => { paused = born ?? last; connection.bye(); }, HIDDEN_FOR);
  else if (paused !== null) want();
  if (!document.hidden) tick();
});
addEventListener("pagehide", () => { paused = born ?? last; connection.bye(); });
addEventListener("pageshow", (event) => { if (event.persisted) want(); });
setInterval(() => { if (paused === null && !over) connection.alive(); }, 25000);
setInterval(() => { if (!document.hidden) tick(); }, 1000);
want();
tick();
