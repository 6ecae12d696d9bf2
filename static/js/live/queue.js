// News wait here and are shown once a frame: of the same object only the newest, as many as a frame has time for. So thousands of events a second
// do not freeze a tab. Nobody sees a hidden tab: it shows nothing until it is looked at, and when too much waits, it lists again instead.
import { older } from "./versions.js";

const BUDGET = 8; // milliseconds of a frame
const MOST = 1000;
const NAMES = 50; // of the objects that changed; beyond, it may have been any
const about = ({ topic, part }) => `${topic} ${part ?? ""}`;
const keyOf = ({ event, data }) => `${about(data)} ${["row", "added", "gone"].includes(event) ? data.uid : event}`;

function merged(old, fresh) {
  if (fresh.event === "changed") {
    const [names, more] = [old.data.names, fresh.data.names];
    const all = names && more && new Map([...names, ...more].map((one) => [one.join("/"), one]));
    const version = older(old.data.version, fresh.data.version) || !old.data.version ? fresh.data.version : old.data.version;
    return { ...fresh, data: { ...fresh.data, version, names: all && all.size <= NAMES ? [...all.values()] : undefined, quiet: old.data.quiet && fresh.data.quiet } };
  }
  if (older(fresh.data.version, old.data.version) || (old.event === "gone" && fresh.data.version === old.data.version)) return old;
  return { ...fresh, listed: old.listed || old.event === "added" };
}

export class Queue {
  // show(message): one of them, now.
  constructor(show) {
    this.show = show;
    this.waiting = new Map();
    this.frame = 0;
    document.addEventListener("visibilitychange", () => this.ask());
  }

  push(message) {
    const key = keyOf(message);
    const old = this.waiting.get(key);
    if (message.event === "resync") this.forget(message.data);
    // Of a topic that is listed again anyway, nothing else matters.
    else if (this.waiting.has(`${about(message.data)} resync`)) return;
    this.waiting.set(key, old ? merged(old, message) : message);
    if (this.waiting.size > MOST) this.giveUp();
    this.ask();
  }

  forget(what) {
    for (const [key, { data }] of this.waiting) if (about(data) === about(what)) this.waiting.delete(key);
  }

  giveUp() {
    const all = new Map([...this.waiting.values()].map(({ data }) => [about(data), data]));
    for (const { topic, part } of all.values()) this.push({ event: "resync", data: { topic, part } });
  }

  ask() {
    if (!this.frame && this.waiting.size && !document.hidden) this.frame = requestAnimationFrame(() => this.work());
  }

  work() {
    this.frame = 0;
    const end = performance.now() + BUDGET;
    for (const [key, message] of this.waiting) {
      this.waiting.delete(key);
      try {
        this.show(message);
      } catch (error) {
        console.error(error); // one row that can't be shown keeps no other from it
      }
      if (performance.now() > end) break;
    }
    this.ask();
  }
}
