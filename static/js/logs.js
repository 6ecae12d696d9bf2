// A log that goes on: lines are added as text, at most LIMIT are kept, and the end stays in view unless the reader scrolled up.
const LIMIT = 10000;
const log = document.getElementById("log");
const say = document.querySelector("[data-log-state]");
const search = document.querySelector("[data-log-search]");
const found = document.querySelector("[data-log-found]");

// Of several containers each line says whose it is, in one of eight colours.
const sources = [];
const hidden = new Set();
function line({ text, source }) {
  const item = document.createElement("div");
  item.textContent = text || "\u00a0";
  if (!source) return item;
  if (!sources.includes(source)) sources.push(source);
  const name = document.createElement("span");
  name.className = `console-log-source console-log-source-${sources.indexOf(source) % 8}`;
  name.textContent = source;
  item.dataset.source = source;
  item.hidden = hidden.has(source);
  item.prepend(name, " ");
  return item;
}
const hit = (item) => item.classList.toggle("console-log-hit", item.textContent.toLowerCase().includes(search.value.toLowerCase()));

let pending = [];
let fresh = false;
let frame = 0;
function draw() {
  frame = 0;
  const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
  if (fresh) log.replaceChildren();
  fresh = false;
  const items = pending.slice(-LIMIT).map(line);
  pending = [];
  if (search.value) items.forEach(hit);
  log.append(...items);
  while (log.childElementCount > LIMIT) log.firstElementChild.remove();
  if (atEnd) log.scrollTop = log.scrollHeight;
}
function add(text, whole = false, source = "") {
  if (whole) { fresh = true; pending = []; }
  pending.push(...text.split("\n").map((each) => ({ text: each, source })));
  frame ||= requestAnimationFrame(draw);
}

let first = true;
let source = null;
function follow() {
  source = new EventSource(log.dataset.follow);
  // Each connection begins with the last lines, so its first piece takes the place of what is there.
  source.onopen = () => { first = true; say.textContent = say.dataset.textFollowing; };
  source.onerror = () => { say.textContent = say.dataset.textLost; };
  source.addEventListener("lines", ({ data }) => { const piece = JSON.parse(data); add(piece.text, first, piece.source); first = false; });
  source.addEventListener("sources", ({ data }) => offer(JSON.parse(data).sources));
  source.addEventListener("end", ({ data }) => { stop(); say.textContent = JSON.parse(data).message || say.dataset.textEnded; });
}
// Whose lines are shown: a box for each container, those that come later too.
const boxes = document.querySelector("[data-log-sources]");
function offer(names) {
  for (const name of names) {
    if (!boxes || [...boxes.querySelectorAll("input")].some((box) => box.value === name)) continue;
    const label = document.createElement("label");
    const box = Object.assign(document.createElement("input"), { type: "checkbox", value: name, checked: true });
    label.append(box, ` ${name}`);
    boxes.append(label);
  }
}
boxes?.addEventListener("change", ({ target }) => {
  if (target.checked) hidden.delete(target.value); else hidden.add(target.value);
  for (const item of log.children) if (item.dataset.source === target.value) item.hidden = !target.checked;
});
function stop() { source?.close(); source = null; }

const pause = document.querySelector("[data-log-pause]");
pause?.addEventListener("click", () => {
  const paused = source !== null;
  if (paused) { stop(); say.textContent = ""; } else follow();
  pause.textContent = paused ? pause.dataset.textResume : pause.dataset.textPause;
});
document.querySelector("[data-log-wrap]").addEventListener("change", ({ target }) => log.classList.toggle("console-log-long", !target.checked));
search.addEventListener("input", () => {
  log.classList.toggle("console-log-filtered", search.value !== "");
  let count = 0;
  if (search.value) for (const item of log.children) count += hit(item) ? 1 : 0;
  found.textContent = search.value ? String(count) : "";
});

if (log.hasAttribute("data-log-many")) for (const item of log.querySelectorAll("[data-source]")) { if (!sources.includes(item.dataset.source)) sources.push(item.dataset.source); }
else {
  const text = log.textContent.replace(/\n$/, "");
  log.textContent = "";
  if (text) add(text);
}
requestAnimationFrame(() => { log.scrollTop = log.scrollHeight; });
if (log.dataset.follow) follow();
addEventListener("pagehide", stop);
