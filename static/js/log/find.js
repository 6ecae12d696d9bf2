// Finding in a log: how many lines have it, the next and the one before, and only those lines where somebody wants that.

export class Find {
  constructor(view, parts) {
    this.view = view;
    this.parts = parts; // {field, count, only}
    this.hits = [];
    this.at = -1;
    this.counted = 0; // lines looked at so far
    this.trimmed = 0;
    this.epoch = 0;
    this.searched = "";
    this.marks = globalThis.Highlight && CSS.highlights ? new Highlight() : null;
    if (this.marks) CSS.highlights.set("log-hit", this.marks);
    let timer;
    parts.field.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(() => this.search(), 120); });
    parts.field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      clearTimeout(timer);
      if (this.text !== this.searched) this.search();
      else this.step(event.shiftKey ? -1 : 1);
    });
    parts.only.addEventListener("change", () => this.search());
  }

  get text() { return this.parts.field.value.toLowerCase(); }

  has(line) { return line.text.toLowerCase().includes(this.searched) || line.source.toLowerCase().includes(this.searched); }

  // Whether a line is shown, as far as this is concerned.
  passes(line) { return !this.filtered || this.has(line); }

  search() {
    const before = this.filtered;
    this.searched = this.text;
    this.filtered = Boolean(this.searched) && this.parts.only.checked;
    this.again(before || this.filtered);
    // The last one first: in a log the news is at the end.
    if (this.hits.length && !this.filtered) { this.at = this.hits.length; this.step(-1); }
  }

  changed() {} // set by the page: draw anew

  again(redraw = false) {
    this.hits = [];
    this.counted = 0;
    this.leave();
    if (redraw) this.changed();
    this.more();
  }

  leave() {
    this.at = -1;
    this.current?.classList.remove("log-current");
    this.current = null;
  }

  // Counts the lines that came since, and forgets those that went.
  more() {
    const { lines, trimmed, epoch } = this.view;
    if (epoch !== this.epoch) { this.hits = []; this.counted = 0; this.trimmed = trimmed; this.leave(); }
    if (trimmed !== this.trimmed) {
      const gone = this.hits.findIndex((line) => line.piece);
      const cut = gone < 0 ? this.hits.length : gone;
      this.hits.splice(0, cut);
      this.at = Math.max(-1, this.at - cut);
    }
    const start = Math.max(0, this.counted - (trimmed - this.trimmed));
    if (this.searched) for (let at = start; at < lines.length; at += 1) if (lines[at].piece && this.has(lines[at])) this.hits.push(lines[at]);
    this.counted = lines.length;
    [this.epoch, this.trimmed] = [epoch, trimmed];
    this.say();
  }

  step(by) {
    if (!this.hits.length) return;
    this.at = (this.at + by + this.hits.length) % this.hits.length;
    this.current?.classList.remove("log-current");
    this.current = this.view.goTo(this.hits[this.at]);
    this.current?.classList.add("log-current");
    this.say();
  }

  say() {
    const { count } = this.parts;
    const text = !this.searched ? "" : this.at < 0 ? String(this.hits.length) : `${this.at + 1} / ${this.hits.length}`;
    if (count.textContent !== text) count.textContent = text;
    this.mark();
  }

  // Only what has elements: the pieces in and near the view.
  mark() {
    if (!this.marks) return;
    this.marks.clear();
    if (!this.searched) return;
    for (const { node } of this.view.pieces.filter((piece) => piece.filled)) {
      const walk = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
      for (let piece = walk.nextNode(); piece; piece = walk.nextNode()) {
        const text = piece.data.toLowerCase();
        if (text.length !== piece.data.length) continue;
        for (let from = text.indexOf(this.searched); from >= 0; from = text.indexOf(this.searched, from + this.searched.length)) {
          const range = new Range();
          range.setStart(piece, from);
          range.setEnd(piece, from + this.searched.length);
          this.marks.add(range);
        }
      }
    }
  }
}
