// A console with one list and one region whose stream says what a test says, as tests/e2e/live/fake_site.py is one for a browser.
import { pageOf, pass, settled } from "../page.js";

export const TOPIC = "here/core/v1/configmaps/default";
export const OTHER = "here/core/v1/secrets/default";

export const row = (uid, version, text) => `<tr id="row-${uid}" data-version="${version}"><td><input type="checkbox" id="tick-${uid}"></td><td><a href="#${uid}">${uid}</a></td>
  <td class="value">${text}</td><td><button>menu</button><ul popover id="menu-${uid}" data-live-keep><li>act</li></ul></td></tr>`;

export class Site {
  constructor(set = {}) {
    Object.assign(this, {
      rows: new Map([["a", [10, "one"]], ["b", [10, "one"]], ["c", [10, "one"]]]), value: "one", topic: TOPIC, moves: false, waits: false, version: "", answers: {}, refusal: "", calm: false,
      list: null, every: "", ...set,
    });
    this.subscriptions = [];
    this.methods = [];
    this.lists = [];
    this.regions = 0;
    this.clock = 5000;
    this.connections = new Set();
  }

  // Opens a page of it. `more`: of pageOf(); `names`: the modules.
  async open(more = {}, ...names) {
    this.page = await pageOf({
      html: this.html(), root: { "data-stream": "/stream" }, answer: (request) => this.answer(request),
      ...more,
      before: (made) => { if (this.calm) globalThis.matchMedia = () => ({ matches: true }); more.before?.(made); },
    }, ...(names.length ? names : ["live.js"]));
    this.page.document.body.dataset.liveSince = "1000-0@e";
    await pass(1100);
    return this.page;
  }

  // What a test says. Names are those that the page asks for: its list's have a question mark, unless it asked by GET.
  say(event, data = {}) {
    let topics = [data.topic];
    if (data.topic && this.methods.at(-1) === "POST" && ["row", "added", "gone", "changed", "resync"].includes(event)) topics = [`${data.topic}?`, ...(["changed", "resync"].includes(event) ? [data.topic] : [])];
    this.clock += 1;
    for (const topic of topics) this.send(`id: ${this.clock}-0@e\nevent: ${event}\ndata: ${JSON.stringify(topic ? { ...data, topic } : data)}\n\n`);
    return settled();
  }

  tell(uid, version, text, topic = TOPIC) { return this.say("row", { topic, uid, name: uid, namespace: "default", version: String(version), html: row(uid, version, text) }); }

  gone(uid, version) { return this.say("gone", { topic: TOPIC, uid, name: uid, namespace: "default", version: String(version) }); }

  send(piece) { for (const connection of this.connections) connection.push(piece); return settled(); }

  html() {
    return `<div id="main" data-live-since="1000-0@e"><div id="health-banner" data-text-lost="interrupted" data-text-paused="{kind} paused: {message}"
      data-text-refused="{kind} refused: {message}" data-text-ended="session ended" hidden><span data-health-text></span> <a data-health-reload href="" hidden>Reload</a></div>
      ${this.waits ? '<button data-live-new="rows" data-text="{n} new" hidden></button><span id="count" data-live-along>3</span>' : ""}
      ${this.table()}${this.region()}</div>`;
  }

  table() { return `<table><tbody id="rows" data-live-rows="${this.topic}" data-live-url="/rows"${this.moves ? " data-live-moves" : ""}>${this.body()}</tbody></table>`; }

  body() { return [...this.rows].map(([uid, [version, text]]) => row(uid, version, text)).join(""); }

  region() {
    return `<section id="region" data-live="${this.topic}" data-live-names="watched" data-live-url="/region"${this.every}><dl><dt>Value</dt><dd id="value">${this.value}</dd></dl>
      <input name="typed" value=""><details><summary>more</summary>x</details></section>`;
  }

  answer(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/stream") return this.stream(request);
    if (pathname === "/rows") {
      this.lists.push(request.headers);
      return this.list?.(request) ?? { text: this.waits ? `${this.table()}<span id="count" data-live-along>${this.rows.size}</span>` : this.body(), headers: { "X-Live-Since": `${this.clock}-0@e`, ...(this.version && { "X-Live-Version": this.version }) } };
    }
    this.regions += 1;
    return { text: this.region() };
  }

  stream({ method, body, signal, url }) {
    this.methods.push(method);
    if (this.answers[method]) return { status: this.answers[method], text: this.refusal };
    this.subscriptions.push(body ? JSON.parse(body) : Object.fromEntries(new URL(url).searchParams));
    const connection = new Connection();
    this.connections.add(connection);
    connection.over = () => this.connections.delete(connection);
    signal.addEventListener("abort", () => connection.abort());
    connection.push(`id: ${this.clock}-0@e\nevent: hello\ndata: {}\n\n`);
    return { getReader: true, ok: true, status: 200, body: { getReader: () => connection } };
  }

  // Of a row's own column.
  shown(uid) { return this.page.$(`#row-${uid} .value`)?.textContent ?? null; }
  ids() { return this.page.$$("#rows tr").map((one) => one.id.replace("row-", "")); }
  get banner() { const banner = this.page.$("#health-banner"); return banner.hidden ? "" : banner.textContent.replace("Reload", "").trim(); }
}

// The body of an answer, read piece by piece; null ends it.
class Connection {
  constructor() { this.pieces = []; this.waiting = null; this.over = () => {}; }

  push(piece) {
    this.pieces.push(piece);
    this.give();
  }

  give() {
    if (!this.waiting || !this.pieces.length) return;
    const piece = this.pieces.shift();
    const { resolve } = this.waiting;
    this.waiting = null;
    if (piece === null) this.over();
    resolve(piece === null ? { done: true } : { done: false, value: new TextEncoder().encode(piece) });
  }

  read() { return new Promise((resolve, reject) => { this.waiting = { resolve, reject }; this.give(); }); }

  abort() { this.over(); this.waiting?.reject(new Error("aborted")); this.waiting = null; }

  async cancel() { this.over(); }
}
