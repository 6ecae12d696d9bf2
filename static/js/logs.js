// A log that goes on: lines are added as text, at most LIMIT are kept, and the end stays in view unless the reader scrolled up.
const LIMIT = 10000;
const log = document.getElementById("log");
const say = document.querySelector("[data-log-state]");
const search = document.querySelector("[data-log-search]");
const found = document.querySelector("[data-log-found]");

const line = (text) => { const item = document.createElement("div"); item.textContent = text || "\u00a0"; return item; };
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
function add(text, whole = false) {
  if (whole) { fresh = true; pending = []; }
  pending.push(...text.split("\n"));
  frame ||= requestAnimationFrame(draw);
}

let first = true;
let source = null;
function follow() {
  source = new EventSource(log.dataset.follow);
  // Each connection begins with the last lines, so its first piece takes the place of what is there.
  source.onopen = () => { first = true; say.textContent = say.dataset.textFollowing; };
  source.onerror = () => { say.textContent = say.dataset.textLost; };
  source.addEventListener("lines", ({ data }) => { add(JSON.parse(data).text, first); first = false; });
  source.addEventListener("end", ({ data }) => { stop(); say.textContent = JSON.parse(data).message || say.dataset.textEnded; });
}
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

const text = log.textContent.replace(/\n$/, "");
log.textContent = "";
if (text) add(text);
requestAnimationFrame(() => { log.scrollTop = log.scrollHeight; });
if (log.dataset.follow) follow();
addEventListener("pagehide", stop);
