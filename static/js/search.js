// What was searched for lately, in this browser and on this cluster only.
import { read, write } from "./frame/storage.js";

const KEY = `console-searches${document.documentElement.dataset.prefix ?? ""}`;
const MOST = 8;
const place = document.querySelector("[data-searches]");
const recent = () => read(KEY, []);

function remember() {
  const text = new URL(location.href).searchParams.get("q")?.trim();
  if (!text) return;
  // What was being typed on the way to it is no search of its own.
  const rest = recent().filter((one) => !text.startsWith(one) && one !== text);
  write(KEY, [text, ...rest].slice(0, MOST));
}

function show() {
  if (!place) return;
  const here = new URL(location.href).searchParams.get("q")?.trim();
  const links = recent().filter((one) => one !== here).map((text) => {
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
