// The banner of every page that says what is not well (#health-banner); it goes away by itself when the part is back.
import { base } from "./union.js";

const RETOLD = 3000; // a new connection is told what is paused within so long
const problems = new Map(); // part → sentence
const banner = () => document.getElementById("health-banner");
const kindOf = (topic) => base(topic).split("/")[3] ?? topic;

function show() {
  const element = banner();
  if (!element) return;
  const text = [...new Set(problems.values())].filter(Boolean).join(" ");
  element.hidden = !text;
  const place = element.querySelector("[data-health-text]");
  if (place.textContent !== text) place.textContent = text;
  const link = element.querySelector("[data-health-reload]");
  if (link) link.hidden = ![...problems.keys()].some((part) => part === "session" || part.startsWith("refused "));
}

let heard = false; // until then the banner keeps what the server put there
function put(part, text) {
  heard = true;
  if (text) problems.set(part, text);
  else problems.delete(part);
  show();
}

export function health(data) {
  if (data) put(data.part, data.ready ? "" : data.message);
  else if (heard) show();
}

export function state({ connected, stopped }) {
  if (connected || stopped) { if (heard || problems.size) put("stream", ""); } else put("stream", banner()?.dataset.textLost);
}

const filled = (text, values) => (text ?? "").replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);

// A topic that can't be watched just now; what the page shows of it may be old.
export function said(topic, message, isPaused) {
  untold.delete(topic);
  const kind = kindOf(topic);
  put(`paused ${topic}`, isPaused && (filled(banner()?.dataset.textPaused, { kind, message: message ?? "" }) || message));
}

// A new connection says anew what is paused; what it does not, is not.
const untold = new Set();
export function opened() {
  for (const part of problems.keys()) if (part.startsWith("paused ")) untold.add(part.slice(7));
  if (untold.size) setTimeout(() => { for (const topic of untold) said(topic, "", false); }, RETOLD);
}

// The user may not follow it (any more): nobody asks again on this page.
export function refused(topic, message) {
  put(`refused ${base(topic)}`, filled(banner()?.dataset.textRefused, { kind: kindOf(topic), message }) || message);
}

export function ended({ message }) {
  problems.clear();
  put("session", message || banner()?.dataset.textEnded);
}
