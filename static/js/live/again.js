// What no stream tells, measurements above all, is fetched again while somebody looks: data-live-again has the milliseconds.
import { refetch } from "./refetch.js";

const TICK = 5000;
const since = new WeakMap();

setInterval(() => {
  if (document.hidden) return;
  const now = performance.now();
  for (const element of document.querySelectorAll("[data-live-again]")) {
    if (!since.has(element)) since.set(element, now);
    if (element.closest("[data-live-paused]") || now - since.get(element) < Number(element.dataset.liveAgain)) continue;
    since.set(element, now);
    refetch(element, 0);
  }
}, TICK);
