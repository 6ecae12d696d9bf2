// What the page shows, as it is asked of the stream: the rows of its lists by their uids, and news of the objects that its regions are about.
import { base } from "./union.js";

export const words = (text) => (text ?? "").split(/\s+/).filter(Boolean);
export const rowLists = () => [...document.querySelectorAll("[data-live-rows]")].filter((list) => list.dataset.liveRows);
export const regions = () => [...document.querySelectorAll("[data-live]")];

// `without`: topics that this page may not follow.
export function subscription(without) {
  const allowed = (topic) => !without.has(base(topic));
  const rows = rowLists().flatMap((list) => {
    const uids = [...list.querySelectorAll("tr[id^='row-']")].map((row) => row.id.slice(4));
    return words(list.dataset.liveRows).filter(allowed).map((topic) => ({ topic, uids, moves: list.hasAttribute("data-live-moves") }));
  });
  const notices = regions().flatMap((region) => {
    const names = words(region.dataset.liveNames);
    return words(region.dataset.live).filter(allowed).map((topic) => ({ topic, ...(names.length && { names }) }));
  });
  return { rows, notices, language: document.documentElement.lang };
}
