// One /stream connection for whoever wants topics of it: all tabs of a browser, or one where there is no SharedWorker. It is read by fetch
// rather than EventSource, which can't say what it wants and hides the status: after 401 nobody must go on asking.
import { base, body, covers, forClient, parse, placed, query, unite } from "./union.js";

const SILENCE = 40000; // the server breaks its silence every 15 s; a line quiet for longer is dead (a laptop slept)
const LOST_AFTER = 2500; // shorter breaks are nobody's business
const LONGEST = 5000; // between two tries to connect: who comes back is found within ten seconds
const RECENT = 300; // events kept for tabs that come later
const SETTLE = 200; // lists change in bursts: a new subscription waits so long for the next
const APART = 1000; // between two connections because of new subscriptions
const OLDER = [404, 405, 415]; // a console that does not know subscriptions
export const milliseconds = (position) => Number(/^\d+/.exec(position ?? "")?.[0] ?? 0);
export const earlier = (a, b) => (milliseconds(a) <= milliseconds(b) ? a : b);
const first = (a, b) => (a === null || b === null ? a ?? b : earlier(a, b));

// As whom the pages were made that listen: the worker's name says it, and each one's pages have a worker of their own.
const whose = () => (globalThis.document ? document.body.dataset.who : globalThis.name?.split(" ")[2]) ?? "";

export class Stream {
  // tell([{event, data, id}, …]): every event of the server, and {event: "state", data: {connected, stopped}} and {event: "opened"} of our own.
  // `address`: of the stream of one cluster.
  constructor(tell, address = "/stream") {
    this.tell = tell;
    this.address = address;
    this.subscriptions = new Map(); // client → its subscription
    this.failures = 0;
    this.close();
  }

  // Returns what the client has to be told first: events since its page was made that came before it was here.
  want(client, asked) {
    const subscription = parse(asked);
    const known = this.subscriptions.get(client);
    this.subscriptions.delete(client); // the one who asked last is the last
    this.subscriptions.set(client, subscription);
    if (known && this.controller && covers(known, subscription)) return [];
    const missed = this.controller && covers(this.open, subscription) ? this.missed(subscription, asked.since) : null;
    if (!missed) {
      this.since = first(this.since, asked.since);
      this.reopen(Math.max(this.controller && known ? SETTLE : 0, this.openedAt + APART - performance.now()));
    }
    return [...forClient(this.paused.values(), subscription), ...(missed ?? [])];
  }

  // What this connection has brought since a position; null where that is no longer known. A message without an id of its own may be younger than
  // the last id before it: all are taken from the last one on that is surely older.
  missed(subscription, since) {
    const from = milliseconds(since);
    const oldest = this.dropped ? this.recent.find(({ mark }) => mark) : null;
    if (from < this.covered || (this.dropped && !(oldest && from > milliseconds(oldest.mark)))) return null;
    const start = this.recent.findLastIndex(({ mark }) => mark && milliseconds(mark) < from) + 1;
    return forClient(this.recent.slice(start), subscription);
  }

  // The connection stays as it is: topics that nobody shows are dropped when it is opened for another reason.
  leave(client) {
    this.subscriptions.delete(client);
    if (!this.subscriptions.size) this.close();
  }

  close() {
    clearTimeout(this.timer);
    this.timer = null;
    this.controller?.abort();
    this.controller = null;
    clearTimeout(this.losing);
    this.state = { connected: null, stopped: 0 };
    this.open = { rows: new Map(), notices: new Map() };
    this.plain = false; // whether it was asked by GET, where every topic has one name
    this.paused = new Map(); // topic → what is said of it, as long as it can't be watched
    this.recent = [];
    this.dropped = false; // whether `recent` once held more
    this.covered = Infinity; // milliseconds from which `recent` has everything of `open`
    this.last = "";
    this.openedAt = -APART;
    this.since = null; // from where those whose subscription no connection has yet must be told
    this.opening = null; // the same of a connection that does not stand yet
  }

  // The earliest that was asked for counts.
  reopen(delay) {
    const at = performance.now() + delay;
    if (this.timer && this.at <= at) return;
    clearTimeout(this.timer);
    this.at = at;
    this.timer = setTimeout(() => this.run(), delay);
  }

  say(connected, stopped = 0) {
    clearTimeout(this.losing);
    const change = () => {
      if (this.state.connected === connected && this.state.stopped === stopped) return;
      this.state = { connected, stopped };
      this.tell([{ event: "state", data: this.state }]);
    };
    if (connected || stopped) change();
    else this.losing = setTimeout(change, LOST_AFTER);
  }

  async ask(signal) {
    this.opening = first(this.opening, this.since);
    this.since = null;
    const since = first(this.opening, this.last || null) ?? "";
    const subscription = (this.open = unite(this.subscriptions.values()));
    this.covered = milliseconds(since) || Infinity;
    const how = { signal, cache: "no-store" };
    const accept = { Accept: "text/event-stream", "X-Console-Who": whose() };
    const headers = { ...accept, "Content-Type": "application/json" };
    const response = await fetch(this.address, { ...how, method: "POST", headers, body: body(subscription, since) });
    this.plain = OLDER.includes(response.status);
    return this.plain ? fetch(`${this.address}?${query(subscription, since)}`, { ...how, headers: accept }) : response;
  }

  async run() {
    this.timer = null;
    this.controller?.abort();
    if (!this.subscriptions.size) return;
    const controller = (this.controller = new AbortController());
    this.openedAt = performance.now();
    let status = 0;
    let text = "";
    try {
      const response = await this.ask(controller.signal);
      status = response.status;
      if (response.ok) {
        this.opening = null;
        this.paused.clear();
        this.say(true);
        this.tell([{ event: "opened", data: {} }]);
        await this.read(response.body.getReader(), controller);
      } else text = await response.text();
    } catch {
      // What matters is below: whether to try again, and when.
    }
    if (this.controller !== controller) return; // another connection has taken over
    this.controller = null;
    if (status === 401) return this.end({ message: "" });
    if (status === 403) return this.refuse(text.trim());
    if (status === 429) this.refuse(text.trim(), false); // too many are open: the page says it, and asks again
    this.say(false);
    this.failures += 1;
    this.reopen(Math.min(500 * 2 ** (this.failures - 1), LONGEST) * (0.5 + Math.random() / 2));
  }

  // The session is over: whoever is here has to sign in again, and its page to be made anew.
  end(data) {
    this.tell([{ event: "ended", data }]);
    this.subscriptions.clear();
    this.close();
  }

  // Nothing of what was asked for may be followed.
  refuse(message, lasting = true) {
    const topics = new Set([...this.open.rows.keys(), ...this.open.notices.keys()].map(base));
    if (!topics.size) return this.say(false, 403);
    this.tell([...topics].map((topic) => ({ event: "refused", data: { topic, message, lasting } })));
  }

  async read(reader, controller) {
    const decoder = new TextDecoder();
    let text = "";
    let watchdog;
    try {
      for (;;) {
        clearTimeout(watchdog);
        watchdog = setTimeout(() => controller.abort(), SILENCE);
        const { value, done } = await reader.read();
        if (done || this.controller !== controller) return;
        this.failures = 0;
        const parts = (text + decoder.decode(value, { stream: true })).split("\n\n");
        text = parts.pop();
        this.hear(parts.map(event).filter(Boolean));
      }
    } finally {
      clearTimeout(watchdog);
      reader.cancel().catch(() => {});
    }
  }

  hear(messages) {
    for (const message of messages) {
      if (!this.plain) message.data = placed(message.data, this.open);
      const { event, data, mark } = message;
      if (mark) this.last = mark;
      message.id = this.last;
      // The cluster did not answer whether the topic may be followed: ask again soon.
      if (event === "refused" && !data.lasting) this.reopen(3000 + 2000 * Math.random());
      if (event === "paused") this.paused.set(data.topic, message);
      if (event === "resumed") this.paused.delete(data.topic);
      if (event === "hello" || (data.topic && event !== "paused" && event !== "resumed")) this.recent.push(message);
      if (this.recent.length > RECENT) { this.recent.shift(); this.dropped = true; }
    }
    const ended = messages.find(({ event }) => event === "ended");
    this.tell(messages.filter((message) => message !== ended));
    if (ended) this.end(ended.data);
  }
}

// https://html.spec.whatwg.org/multipage/server-sent-events.html, as far as our server uses it.
function event(part) {
  const fields = Object.fromEntries(part.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trimStart()]));
  // A heartbeat may say nothing but how far the streams were read.
  return fields.data ? { event: fields.event, data: JSON.parse(fields.data), mark: fields.id ?? "" } : fields.id ? { event: "at", data: {}, mark: fields.id } : null;
}
