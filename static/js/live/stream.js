// One /stream connection for whoever wants topics of it: all tabs of a browser, or one where there is no SharedWorker. It is read by fetch
// rather than EventSource, which hides the status: after 401 or 403 nobody must go on asking.

const SILENCE = 40000; // the server breaks its silence every 15 s; a line quiet for longer is dead (a laptop slept)
const LOST_AFTER = 2500; // shorter breaks are nobody's business
const RECENT = 300; // events kept for tabs that come later
const milliseconds = (position) => Number(/^\d+/.exec(position ?? "")?.[0] ?? 0);
const earlier = (a, b) => (milliseconds(a) <= milliseconds(b) ? a : b);

export class Stream {
  // tell({event, data, id}): every event of the server, and {event: "state", data: {connected, stopped}} of our own.
  constructor(tell) {
    this.tell = tell;
    this.wishes = new Map(); // client → {rows, notices}
    this.open = { rows: new Set(), notices: new Set() };
    this.last = "";
    this.since = null; // where the next connection begins
    this.failures = 0;
    this.state = { connected: null, stopped: 0 };
    this.recent = [];
    this.floor = 0; // milliseconds up to which events were dropped from `recent`
    this.covered = new Map(); // topic → milliseconds from which `recent` has its events
  }

  // Returns what the client has to be told first: events since its page was made that came before it was here.
  want(client, { rows, notices, since }) {
    const known = this.wishes.get(client);
    this.wishes.set(client, { rows: new Set(rows), notices: new Set(notices) });
    const missing = rows.some((topic) => !this.open.rows.has(topic)) || notices.some((topic) => !this.open.notices.has(topic) && !this.open.rows.has(topic));
    if (missing || !this.controller) {
      this.since = this.since === null ? since : earlier(this.since, since);
      this.reopen(known ? 10 : 0);
    }
    return [...rows, ...notices].filter((topic) => this.covered.has(topic)).flatMap((topic) => this.missed(topic, since));
  }

  missed(topic, since) {
    const from = milliseconds(since);
    if (from < Math.max(this.floor, this.covered.get(topic))) return [{ event: "resync", data: { topic } }];
    return this.recent.filter((message) => message.data.topic === topic && milliseconds(message.id) >= from);
  }

  // The connection stays as it is: topics that nobody shows are dropped when it is opened for another reason.
  leave(client) {
    this.wishes.delete(client);
    if (!this.wishes.size) this.close();
  }

  close() {
    clearTimeout(this.timer);
    this.controller?.abort();
    this.controller = null;
    this.forget();
    clearTimeout(this.losing);
    this.state = { connected: null, stopped: 0 };
    this.recent = [];
    this.last = "";
  }

  forget() {
    this.open = { rows: new Set(), notices: new Set() };
    this.covered.clear();
  }

  reopen(delay) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.run(), delay);
  }

  say(connected, stopped = 0) {
    clearTimeout(this.losing);
    const change = () => {
      if (this.state.connected === connected && this.state.stopped === stopped) return;
      this.state = { connected, stopped };
      this.tell({ event: "state", data: this.state });
    };
    if (connected || stopped) change();
    else this.losing = setTimeout(change, LOST_AFTER);
  }

  address() {
    const wishes = [...this.wishes.values()];
    const rows = new Set(wishes.flatMap((wish) => [...wish.rows]));
    const notices = new Set(wishes.flatMap((wish) => [...wish.notices]).filter((topic) => !rows.has(topic)));
    const since = this.since === null ? this.last : this.last ? earlier(this.since, this.last) : this.since;
    for (const topic of [...rows, ...notices]) if (!this.covered.has(topic)) this.covered.set(topic, milliseconds(since) || Infinity);
    this.open = { rows, notices };
    const query = new URLSearchParams([...[...rows].map((topic) => ["topic", topic]), ...[...notices].map((topic) => ["notice", topic])]);
    if (since) query.set("since", since);
    return `/stream?${query}`;
  }

  async run() {
    this.controller?.abort();
    if (!this.wishes.size) return;
    const controller = (this.controller = new AbortController());
    let status = 0;
    try {
      const response = await fetch(this.address(), { signal: controller.signal, headers: { Accept: "text/event-stream" }, cache: "no-store" });
      status = response.status;
      if (!response.ok) throw new Error(`the stream was refused: ${status}`);
      this.since = null;
      this.say(true);
      await this.read(response.body.getReader(), controller);
    } catch {
      // What matters is below: whether to try again, and when.
    }
    if (this.controller !== controller) return; // another connection has taken over
    this.controller = null;
    this.forget();
    if (status === 401 || status === 403) return this.say(false, status);
    this.say(false);
    this.failures += 1;
    this.reopen(Math.min(500 * 2 ** (this.failures - 1), 15000) * (0.5 + Math.random() / 2));
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
        for (const part of parts) this.hear(part);
      }
    } finally {
      clearTimeout(watchdog);
      reader.cancel().catch(() => {});
    }
  }

  hear(part) {
    const fields = Object.fromEntries(part.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trimStart()]));
    if (!fields.data) return;
    if (fields.id) this.last = fields.id;
    const data = JSON.parse(fields.data);
    // The cluster did not answer whether the topic may be followed: ask again soon.
    if (fields.event === "refused" && !data.lasting) this.reopen(3000 + 2000 * Math.random());
    const message = { event: fields.event, data, id: fields.id ?? this.last };
    if (data.topic) this.recent.push(message);
    if (this.recent.length > RECENT) this.floor = milliseconds(this.recent.shift().id) + 1;
    this.tell(message);
  }
}
