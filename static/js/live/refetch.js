// Fetching a list or a region again: soon after a change, never twice at once, always once more after the last news. What is told to change
// all the time is fetched ever more seldom, and as soon as it is calm at once again.
import { forgetVersion, noticed, topicsOf } from "./heard.js";
import { fragmentOf, morph } from "./morph.js";
import { older } from "./versions.js";

const PACE = [0, 0, 0, 0, 1000, 1000, 1000, 2000, 2000, 4000, 4000, 5000]; // milliseconds between the end of one fetch and the next, the longer it lasts
const BUSY = 3; // times as long as it took: a quarter of the time at most
const SLOWEST = 8000;
const AGAIN = 500; // an answer that was not new enough
const RETRY = 1000; // after a failure; twice as long after the next, up to
const RETRY_MOST = 4000;
const PATIENCE = 30000; // a server that was stopped never answers
const GIVEN_UP = 20000; // nobody has what was heard: the cluster was set back
const plans = new WeakMap();

// `soon`: milliseconds from now; `every`: between two fetches at least.
export function refetch(element, soon = 50, every = 1000) {
  const plan = plans.get(element) ?? { last: -Infinity, took: 0, streak: 0, failures: 0, late: null };
  plans.set(element, plan);
  if (plan.running) { plan.again = () => refetch(element, soon, every); return; }
  if (plan.timer) return;
  const now = performance.now();
  const pace = () => Math.min(SLOWEST, Math.max(every, PACE[Math.min(plan.streak, PACE.length - 1)], BUSY * plan.took));
  if (now - plan.last > 2 * pace()) plan.streak = 0;
  plan.timer = setTimeout(async () => {
    plan.timer = null;
    if (!element.isConnected) return;
    if (held(element)) return;
    plan.running = true;
    plan.streak += 1;
    const began = performance.now();
    const outcome = await load(element).catch(() => "failed");
    plan.running = false;
    plan.last = performance.now();
    // What waited for a server that was away, or for a list that lagged, is no work that has to be spared.
    plan.took = outcome === "done" ? plan.last - began : 0;
    plan.failures = outcome === "failed" ? plan.failures + 1 : 0;
    plan.late = outcome === "late" ? plan.late ?? began : null;
    if (plan.late !== null && plan.last - plan.late > GIVEN_UP) for (const topic of topicsOf(element)) forgetVersion(topic);
    const again = plan.again;
    plan.again = null;
    if (!element.isConnected) return;
    if (outcome === "failed") refetch(element, Math.min(RETRY * 2 ** (plan.failures - 1), RETRY_MOST) * (0.5 + Math.random() / 2), every);
    else if (again) again();
    else if (outcome === "late") refetch(element, AGAIN, every);
  }, Math.max(soon, plan.last + pace() - now));
}

// What waits until somebody is done: with a menu of its own that is open, or with selecting its text.
const waiting = new Map(); // element → whether it may go on
function hold(element, done) {
  waiting.set(element, done);
  return true;
}
function release() {
  for (const [element, done] of waiting) if (!element.isConnected || done()) { waiting.delete(element); if (element.isConnected) refetch(element, 0); }
}
document.addEventListener("selectionchange", release);
document.addEventListener("toggle", ({ newState }) => { if (newState === "closed") setTimeout(release); }, true);

const menuIn = (element) => element.querySelector(":popover-open");
const held = (element) => Boolean(menuIn(element)) && hold(element, () => !menuIn(element));
export function holdSelected(element, node, selecting) {
  hold(element, () => !node.isConnected || !selecting(node));
}

// What the answer says of other parts of the page: how many rows there are, and the pages of the list.
function along(element, fresh) {
  for (const part of fresh.querySelectorAll("[data-live-along]")) {
    const shown = document.getElementById(part.id);
    if (!shown || element.contains(shown)) continue;
    part.remove();
    morph(shown, part);
  }
}
// Who may keep rows back: (list, the list as it is now).
let beforeRows = () => {};
export const onRows = (call) => { beforeRows = call; };

// "done", "late" (not all of it is as new as what was heard), or "failed": try again later. What is gone or refused is shown as the server words it.
async function load(element) {
  const url = element.dataset.liveUrl || location.href;
  const topics = topicsOf(element);
  const version = topics.length === 1 ? noticed(topics[0]) : "";
  const headers = { "HX-Request": "true", "HX-Target": element.id, "HX-Current-URL": location.href, "X-Console-Who": document.body.dataset.who ?? "", ...(version && { "X-Live-Version": version }) };
  const response = await fetch(url, { headers, cache: "no-store", signal: AbortSignal.timeout(PATIENCE) });
  if (response.redirected && new URL(response.url).pathname !== new URL(url, location.href).pathname) { location.reload(); return "done"; }
  if (response.headers.has("HX-Refresh")) { location.reload(); return "done"; }
  if (response.status === 401 || response.status === 204) return "done";
  if (!response.ok && ![403, 404, 410].includes(response.status)) return "failed";
  const html = await response.text();
  if (!element.isConnected) return "done";
  // Somebody has filtered meanwhile: this answers another question.
  if ((element.dataset.liveUrl || location.href) !== url) return load(element);
  if (held(element)) return "done";
  // A list that may no longer be read keeps what it shows; a region says so in its place.
  if (!response.ok && !element.hasAttribute("data-live")) return "done";
  const fresh = fragmentOf(html);
  along(element, fresh);
  const list = element.hasAttribute("data-live-rows") && fresh.querySelector(`#${CSS.escape(element.id)}`);
  if (list) beforeRows(element, list);
  const left = morph(element, fresh);
  element.dispatchEvent(new CustomEvent("live:laid", { bubbles: true, detail: { since: response.headers.get("X-Live-Since") ?? "", left } }));
  return left.some(([, why]) => why === "stale") || older(response.headers.get("X-Live-Version"), version) ? "late" : "done";
}
