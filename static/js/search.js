// What was searched for lately, in this browser and on this cluster only.
const KEY = `console-searches${document.documentElement.dataset.prefix ?? ""}`;
const MOST = 8;
const place = document.querySelector("[data-searches]");
const read = () => { try { return JSON.parse(localStorage.getItem(KEY)) ?? []; } catch { return []; } };

function remember() {
  const text = new URL(location.href).searchParams.get("q")?.trim();
  if (!text) return;
  // What was being typed on the way to it is no search of its own.
  const rest = read().filter((one) => !text.startsWith(one) && one !== text);
  try { localStorage.setItem(KEY, JSON.stringify([text, ...rest].slice(0, MOST))); } catch { /* full, or not allowed */ }
}

function show() {
  if (!place) return;
  const here = new URL(location.href).searchParams.get("q")?.trim();
  const links = read().filter((one) => one !== here).map((text) => {
    const link = document.createElement("a");
    const to = new URL(location.pathname, location.href);
    to.searchParams.set("namespace", document.querySelector("input[name=namespace]")?.value ?? "-");
    to.searchParams.set("q", text);
    link.href = to.href;
    link.textContent = text;
    return link;
  });
  place.replaceChildren(place.firstElementChild, ...links);
  place.hidden = !links.length;
}

document.addEventListener("htmx:pushedIntoHistory", () => { remember(); show(); });
remember();
show();
