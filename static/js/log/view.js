// The lines of a log on the screen: 100,000 of them without freezing. They stand in pieces of 200; only those in or near the view have elements for
// their lines, all others are as high as they were (or as high as they would be if no line was wrapped). What arrives is taken in once a frame, and only
// so much that the page goes on answering.
import { draw, parse, plain } from "./ansi.js";

const LIMIT = 100000; // lines that are kept; older ones are in the download
const PIECE = 200;
const A_FRAME = 20000; // lines taken in in one frame

class Line {
  constructor(raw, source) {
    this.raw = raw;
    this.source = source;
    this.piece = null; // where it is shown, null where it is not
  }

  // Read when it is looked at: most lines of a long log never are.
  get parsed() { return (this.read ??= parse(this.raw)); }

  get text() { return this.read?.text ?? plain(this.raw); }
}

export class View {
  constructor(node, told) {
    this.node = node;
    this.told = told; // called after lines came or went, and after pieces were filled
    this.lines = [];
    this.pieces = [];
    this.shows = () => true;
    this.sources = [];
    this.pending = [];
    this.dropped = 0; // lines that came and are not kept
    this.trimmed = 0; // lines taken from the front of `lines`
    this.epoch = 0; // how often all began anew
    this.frame = 0;
    this.following = true;
    this.near = new IntersectionObserver((entries) => this.seen(entries), { root: node, rootMargin: "1200px 0px" });
    // Going up lets the end go, coming back to it takes it up again; wrapped lines change heights, so it is asked before they do.
    node.addEventListener("scroll", () => { this.following = this.atEnd; }, { passive: true });
    new ResizeObserver(() => { if (this.following) this.toEnd(); }).observe(node);
  }

  get atEnd() { return this.node.scrollHeight - this.node.scrollTop - this.node.clientHeight < 40; }

  toEnd() {
    this.following = true;
    for (const piece of this.pieces.slice(-2)) this.fill(piece);
    this.node.scrollTop = this.node.scrollHeight;
  }

  clear() {
    this.pending = [{ clear: true }];
    this.request();
  }

  add(text, source = "") {
    for (const raw of text.split("\n")) this.pending.push(new Line(raw, source));
    const extra = this.pending.length - LIMIT - A_FRAME;
    if (extra > 0) {
      const fresh = this.pending[0].clear;
      this.pending.splice(0, extra);
      this.dropped += extra;
      if (fresh) this.pending.unshift({ clear: true });
    }
    this.request();
  }

  request() { this.frame ||= requestAnimationFrame(() => this.take()); }

  take() {
    this.frame = 0;
    const some = this.pending.splice(0, A_FRAME);
    for (const line of some) {
      if (line.clear) { this.begin(); continue; }
      this.lines.push(line);
      if (this.shows(line)) this.place(line);
    }
    this.settle();
    this.trim();
    if (this.following) this.toEnd();
    this.told();
    if (this.pending.length) this.request();
  }

  begin() {
    this.empty();
    this.node.replaceChildren();
    this.lines = [];
    this.dropped = 0;
    this.trimmed = 0;
    this.epoch += 1;
  }

  empty() {
    for (const piece of this.pieces) this.near.unobserve(piece.node);
    this.pieces = [];
  }

  place(line) {
    let piece = this.pieces.at(-1);
    if (!piece || piece.lines.length >= PIECE) {
      piece = { node: document.createElement("div"), lines: [], filled: false, high: true };
      piece.node.className = "log-piece";
      piece.node.logPiece = piece;
      this.pieces.push(piece);
    }
    line.piece = piece;
    piece.lines.push(line);
    piece.high = true;
    if (piece.filled) piece.node.append(this.draw(line));
  }

  // Gives new pieces their place and all that are not filled their height.
  settle() {
    const fresh = document.createDocumentFragment();
    for (const piece of this.pieces) {
      if (piece.high && !piece.filled) piece.node.style.blockSize = `${piece.lines.length * 1.21875}rem`;
      piece.high = false;
      if (!piece.placed) { piece.placed = true; fresh.append(piece.node); this.near.observe(piece.node); }
    }
    if (fresh.childElementCount) {
      for (const old of [...this.node.children].filter((child) => !child.logPiece)) old.remove();
      this.node.append(fresh);
    }
  }

  seen(entries) {
    const selection = document.getSelection();
    let filled = false;
    for (const { target, isIntersecting, boundingClientRect } of entries) {
      const piece = target.logPiece;
      if (isIntersecting) { filled ||= !piece.filled; this.fill(piece); }
      else if (piece.filled && piece !== this.pieces.at(-1) && !(selection.type === "Range" && selection.containsNode(target, true))) {
        target.style.blockSize = `${boundingClientRect.height}px`;
        target.replaceChildren();
        piece.filled = false;
      }
    }
    if (this.following) this.node.scrollTop = this.node.scrollHeight;
    if (filled) this.told();
  }

  fill(piece) {
    if (piece.filled) return;
    piece.filled = true;
    piece.node.style.blockSize = "";
    piece.node.replaceChildren(...piece.lines.map((line) => this.draw(line)));
  }

  draw(line) {
    const item = document.createElement("div");
    if (line.source) item.append(this.name(line.source, item), " ");
    draw(item, line.parsed);
    return item;
  }

  // Of several containers each line says whose it is, in one of eight colours.
  name(source, item) {
    let at = this.sources.indexOf(source);
    if (at < 0) at = this.sources.push(source) - 1;
    const name = document.createElement("span");
    name.className = `console-log-source console-log-source-${at % 8}`;
    name.textContent = source;
    item.dataset.source = source;
    return name;
  }

  // The element of a line that is shown, made if need be.
  item(line) {
    if (!line.piece) return null;
    this.fill(line.piece);
    return line.piece.node.children[line.piece.lines.indexOf(line)];
  }

  goTo(line) {
    this.following = false;
    const item = this.item(line);
    item?.scrollIntoView({ block: "center" });
    return item;
  }

  trim() {
    const extra = this.lines.length - LIMIT;
    if (extra <= 0) return;
    for (const line of this.lines.splice(0, extra)) {
      const { piece } = line;
      if (!piece) continue;
      // In order: it is the first of the first piece.
      piece.lines.shift();
      line.piece = null;
      if (piece.filled) piece.node.firstElementChild.remove(); else piece.high = true;
      if (!piece.lines.length) { this.near.unobserve(piece.node); piece.node.remove(); this.pieces.shift(); }
    }
    this.dropped += extra;
    this.trimmed += extra;
    this.settle();
  }

  // Draws all of it anew: other lines are shown now. Who was not at the end stays near the line that was at the top.
  show(shows) {
    this.shows = shows;
    const top = this.node.getBoundingClientRect().top;
    const piece = this.following ? null : this.pieces.find((one) => one.filled && one.node.getBoundingClientRect().bottom > top);
    const number = piece ? [...piece.node.children].findIndex((item) => item.getBoundingClientRect().bottom > top) : -1;
    const held = piece?.lines[Math.max(0, number)];
    this.empty();
    this.node.replaceChildren();
    for (const line of this.lines) {
      line.piece = null;
      if (shows(line)) this.place(line);
    }
    this.settle();
    if (this.following) this.toEnd();
    else if (held) {
      const from = this.lines.indexOf(held);
      const next = this.lines.slice(from).find((line) => line.piece) ?? this.lines.findLast((line) => line.piece);
      if (next) this.item(next).scrollIntoView({ block: "start" });
    }
    this.told();
  }
}
