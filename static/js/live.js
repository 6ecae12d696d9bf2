// Every page needs this to update by itself: rows, regions, ages and the health banner. Without it a reload shows what changed.
//   <tbody data-live-rows="TOPIC" data-live-url="…">  rows are <tr id="row-{uid}">; TOPIC?COLUMNS for columns of its own; data-live-moves: rows may change places
//   <section id="…" data-live="TOPIC TOPIC" data-live-names="name name" data-live-url="…">  data-live-every: milliseconds between two fetches at least
import { tick } from "./live/age.js";
import { health, state } from "./live/banner.js";
import { morph, rowFrom } from "./live/morph.js";
import { Stream } from "./live/stream.js";

const HIDDEN_FOR = 60000; // a tab that nobody looks at for so long lets its topics go
const MARGIN = 10000; // what htmx has just brought was read at most so long ago
const words = (text) => (text ?? "").split(/\s+/).filter(Boolean);
const rowLists = () => [...document.querySelectorAll("[data-live-rows]")];
const regions = () => [...document.querySelectorAll("[data-live]")];

// Fetching again: soon after a change, never twice at once, never more often than `every` milliseconds.
const plans = new WeakMap();
function refetch(element, soon, every) {
  const plan = plans.get(element) ?? { last: 0 };
  plans.set(element, plan);
  if (plan.running) { plan.again = () => refetch(element, soon, every); return; }
  if (plan.timer) return;
  const wait = Math.max(soon, plan.last + every - performance.now());
  plan.timer = setTimeout(async () => {
    plan.timer = null;
    if (!element.isConnected) return;
    plan.running = true;
    const well = await load(element).catch(() => false);
    plan.running = false;
    plan.last = performance.now();
    const again = plan.again;
    plan.again = null;
    if (again) again();
    else if (!well && element.isConnected) refetch(element, 4000 + 2000 * Math.random(), every);
  }, wait);
}

// True when done with; false: try again later. What is gone or refused is shown as the server words it.
async function load(element) {
  const url = element.dataset.liveUrl || location.href;
  const headers = { "HX-Request": "true", "HX-Target": element.id, "HX-Current-URL": location.href };
  const response = await fetch(url, { headers, cache: "no-store" });
  if (response.redirected && new URL(response.url).pathname !== new URL(url, location.href).pathname) { location.reload(); return true; }
  if (response.status === 401 || response.status === 204) return true;
  if (!response.ok && ![403, 404, 410].includes(response.status)) return false;
  const html = await response.text();
  if (!element.isConnected) return true;
  // Somebody has filtered meanwhile: this answers another question.
  if ((element.dataset.liveUrl || location.href) !== url) return load(element);
  // A list that may no longer be read keeps what it shows; a region says so in its place.
  if (response.ok || element.hasAttribute("data-live")) morph(element, html);
  return true;
}

const listAgain = (list) => refetch(list, 50, 1000);
function changed(event, data) {
  for (const list of rowLists()) {
    if (list.dataset.liveRows !== data.topic) continue;
    const row = data.uid && list.querySelector(`#${CSS.escape(`row-${data.uid}`)}`);
    if (event === "row" && data.html) {
      if (row) morph(row, rowFrom(data.html));
      // Filtered by state or sorted, a list may lose the row, gain it, or have it elsewhere.
      if (!list.hasAttribute("data-live-moves")) continue;
    }
    if (event === "gone" && row) row.remove();
    if (event !== "gone" || row) listAgain(list);
  }
  for (const region of regions()) {
    if (!words(region.dataset.live).includes(data.topic)) continue;
    if (region.closest("[data-live-paused]")) continue;
    const names = words(region.dataset.liveNames);
    if (!data.name || !names.length || names.includes(data.name)) refetch(region, 20, Number(region.dataset.liveEvery) || 250);
  }
}

// The connection: shared by all tabs where the browser can.
let last = "";
function hear({ event, data, id }) {
  if (id) last = id;
  if (event === "health") health(data);
  else if (event === "state") state(data);
  else if (data.topic && event !== "refused") changed(event, data);
}
function connect() {
  if (typeof SharedWorker === "function") {
    try {
      const address = new URL(`shared_stream.js${new URL(import.meta.url).search}`, import.meta.url);
      const { port } = new SharedWorker(address, { type: "module", name: "operator-console" });
      port.onmessage = ({ data }) => hear(data);
      return { want: (wish) => port.postMessage({ want: wish }), alive: () => port.postMessage({}), bye: () => port.postMessage({ bye: true }) };
    } catch { /* private windows of some browsers refuse: then this tab has a connection of its own */ }
  }
  const stream = new Stream(hear);
  return { want: (wish) => stream.want("page", wish).forEach(hear), alive() {}, bye: () => stream.leave("page") };
}
const connection = connect();

function since() {
  const [, time, rest] = /^(\d+)(-.*)$/.exec(last) ?? [];
  return time ? `${time - MARGIN}${rest}` : document.querySelector("[data-live-since]")?.dataset.liveSince ?? "";
}
let paused = null;
function want() {
  const rows = new Set(rowLists().map((list) => list.dataset.liveRows).filter(Boolean));
  const notices = new Set(regions().flatMap((region) => words(region.dataset.live)).filter((topic) => !rows.has(topic)));
  connection.want({ rows: [...rows], notices: [...notices], since: paused ?? since() });
  paused = null;
  health();
}

// A region that was paused goes on.
document.addEventListener("live:resume", ({ target }) => { if (target.matches("[data-live]")) refetch(target, 0, 0); });

let timer;
document.addEventListener("visibilitychange", () => {
  clearTimeout(timer);
  if (document.hidden) timer = setTimeout(() => { paused = since(); connection.bye(); }, HIDDEN_FOR);
  else if (paused !== null) want();
  if (!document.hidden) tick();
});
addEventListener("pagehide", () => { paused = since(); connection.bye(); });
addEventListener("pageshow", (event) => { if (event.persisted) want(); });
// What htmx brings may have topics of its own, and must not miss what came while it was under way.
const LIVE = "[data-live], [data-live-rows]";
for (const name of ["htmx:afterSettle", "htmx:historyRestore"]) {
  document.addEventListener(name, ({ target }) => { if (target.closest?.(LIVE) || target.querySelector?.(LIVE)) setTimeout(want); });
}
setInterval(() => { if (paused === null) connection.alive(); }, 25000);
setInterval(() => { if (!document.hidden) tick(); }, 1000);
want();
tick();
