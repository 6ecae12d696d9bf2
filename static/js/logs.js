// A log that goes on, of one container or of all of several Pods: followed, searched, filtered, saved. Reading without script shows its last lines.
import { read, write } from "./frame/storage.js";
import { Find } from "./log/find.js";
import { View } from "./log/view.js";

const log = document.getElementById("log");
const part = (name) => document.querySelector(`[data-log-${name}]`);
const say = part("state");
const hidden = new Set();
const numbers = new Intl.NumberFormat(document.documentElement.lang || undefined);
let ended = "";

const counted = (number, one, many) => (number === 1 ? one : many.replace("%d", numbers.format(number)));
const view = new View(log, () => {
  find.more();
  const { one, text: many, oneDropped, dropped } = part("count").dataset;
  const text = counted(view.lines.length, one, many);
  const whole = view.dropped ? `${text} ${counted(view.dropped, oneDropped, dropped)}` : text;
  if (part("count").textContent !== whole) part("count").textContent = whole;
});
const find = new Find(view, { field: part("search"), count: part("found"), only: part("only") });
view.shows = (line) => !hidden.has(line.source) && find.passes(line);
find.changed = () => view.show(view.shows);

let source = null;
let first = true;
function follow() {
  source = new EventSource(log.dataset.follow);
  // Each connection begins with the last lines, so its first piece takes the place of what is there.
  source.onopen = () => { first = true; say.textContent = say.dataset.textFollowing; };
  source.onerror = () => { say.textContent = say.dataset.textLost; };
  source.addEventListener("lines", ({ data }) => {
    const piece = JSON.parse(data);
    if (first) view.clear();
    first = false;
    view.add(piece.text, piece.source);
  });
  source.addEventListener("sources", ({ data }) => offer(JSON.parse(data).sources));
  source.addEventListener("end", ({ data }) => {
    stop();
    ended = JSON.parse(data).message || say.dataset.textEnded;
    say.textContent = ended;
  });
}
function stop() { source?.close(); source = null; }

// Whose lines are shown: a box for each container, those that come later too.
const boxes = part("sources");
function offer(names) {
  for (const name of names) {
    if (!boxes || [...boxes.querySelectorAll("input")].some((box) => box.value === name)) continue;
    const label = document.createElement("label");
    const box = document.createElement("input");
    Object.assign(box, { type: "checkbox", value: name, checked: !hidden.has(name) });
    label.append(box, ` ${name}`);
    boxes.append(label);
  }
}
boxes?.addEventListener("change", ({ target }) => {
  if (target.checked) hidden.delete(target.value); else hidden.add(target.value);
  find.again(true);
});

const pause = part("pause");
pause?.addEventListener("click", () => {
  const paused = source !== null;
  if (paused) { stop(); say.textContent = say.dataset.textPaused; } else { follow(); view.toEnd(); }
  pause.textContent = paused ? pause.dataset.textResume : pause.dataset.textPause;
});
const wrap = () => log.classList.toggle("console-log-long", !part("wrap").checked);
part("wrap").addEventListener("change", wrap);
part("next").addEventListener("click", () => find.step(1));
part("before").addEventListener("click", () => find.step(-1));
part("end").addEventListener("click", () => view.toEnd());
const panel = part("panel");
const full = part("full");
if (document.fullscreenEnabled) full.hidden = false;
full.addEventListener("click", () => { if (document.fullscreenElement) document.exitFullscreen(); else panel.requestFullscreen(); });
document.addEventListener("fullscreenchange", () => { full.setAttribute("aria-pressed", String(document.fullscreenElement === panel)); });
part("save").addEventListener("click", () => {
  const text = view.lines.filter((line) => line.piece).map((line) => (line.source ? `${line.source} ${line.text}` : line.text)).join("\n");
  const address = URL.createObjectURL(new Blob([text, "\n"], { type: "text/plain" }));
  const link = Object.assign(document.createElement("a"), { href: address, download: part("save").dataset.logSave });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
});
// Which log, from when and how much: at once, as the selects do.
part("form")?.addEventListener("change", ({ target }) => { if (target.matches("input[type=checkbox][name], input[type=datetime-local]") && target.checkValidity()) target.form.requestSubmit(); });

// Another choice of lines loads the page again: what is searched, wrapped and hidden stays.
const KEY = `log:${location.pathname}`;
part("form")?.addEventListener("submit", () => {
  const kept = {
    text: part("search").value,
    only: part("only").checked,
    wrap: part("wrap").checked,
    hidden: [...hidden],
  };
  write(KEY, kept, "sessionStorage");
});
const restored = read(KEY, null, "sessionStorage");
if (restored) {
  write(KEY, null, "sessionStorage");
  for (const name of restored.hidden) hidden.add(name);
  for (const box of boxes?.querySelectorAll("input") ?? []) box.checked = !hidden.has(box.value);
  [part("search").value, part("only").checked, part("wrap").checked] = [restored.text, restored.only, restored.wrap];
  wrap();
  find.search();
}

// What the page was made with, until the stream begins.
const lines = log.querySelectorAll("[data-source]");
if (lines.length) {
  const made = [...lines].map((item) => [item.lastChild.textContent.slice(1), item.dataset.source]);
  view.clear();
  for (const [text, from] of made) view.add(text, from);
} else if (log.tagName === "PRE") {
  const text = log.textContent.replace(/\n$/, "");
  view.clear();
  if (text) view.add(text);
}
if (log.dataset.follow) follow();
addEventListener("pagehide", stop);
addEventListener("pageshow", ({ persisted }) => { if (persisted && log.dataset.follow && !ended) follow(); });
