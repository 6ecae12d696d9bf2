// What a program wrote for a terminal, as text and what colours its parts have. Nothing of it is ever HTML: a log is a stranger's text.
// Colours and weights (SGR) are kept; whatever else would move a cursor or set a title is dropped; other control characters are shown as pictures.
const LONGEST = 20000; // of one line on the screen; the download has all of it

// eslint-disable-next-line no-control-regex
const ESCAPE = /\u001b(?:\[([0-?]*)[ -/]*([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[PX^_][^\u001b]*(?:\u001b\\)?|[ -/]*[0-~])|\u009b([0-?]*)[ -/]*([@-~])/g;
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|[\u0080-\u009f]|[\u202a-\u202e\u2066-\u2069]/g;
const picture = (letter) => {
  const code = letter.charCodeAt(0);
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? "\u2421" : "\ufffd";
};
const clean = (text) => text.replace(CONTROL, picture);

const CUBE = [0, 95, 135, 175, 215, 255];
function colour(values, at) {
  // 38;5;n of 256, or 38;2;r;g;b. Returns [CSS colour or number below 16, values used].
  if (values[at] === 5) {
    const number = values[at + 1] ?? 0;
    if (number < 16) return [number, 2];
    if (number > 231) { const grey = 8 + 10 * (Math.min(number, 255) - 232); return [`rgb(${grey} ${grey} ${grey})`, 2]; }
    const rest = number - 16;
    return [`rgb(${CUBE[Math.floor(rest / 36)]} ${CUBE[Math.floor(rest / 6) % 6]} ${CUBE[rest % 6]})`, 2];
  }
  if (values[at] === 2) return [`rgb(${[1, 2, 3].map((step) => Math.min(values[at + step] ?? 0, 255)).join(" ")})`, 4];
  return [null, 1];
}

function style(now, parameters) {
  const next = { ...now };
  const values = parameters.split(/[;:]/).map((part) => Number.parseInt(part || "0", 10) || 0);
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at];
    if (value === 0) { for (const key of Object.keys(next)) delete next[key]; }
    else if (value === 1) next.bold = true;
    else if (value === 2) next.dim = true;
    else if (value === 3) next.italic = true;
    else if (value === 4) next.underline = true;
    else if (value === 22) { delete next.bold; delete next.dim; }
    else if (value === 23) delete next.italic;
    else if (value === 24) delete next.underline;
    else if (value >= 30 && value <= 37) next.front = value - 30;
    else if (value >= 90 && value <= 97) next.front = value - 82;
    else if (value >= 40 && value <= 47) next.back = value - 40;
    else if (value >= 100 && value <= 107) next.back = value - 92;
    else if (value === 39) delete next.front;
    else if (value === 49) delete next.back;
    else if (value === 38 || value === 48) {
      const [found, used] = colour(values, at + 1);
      if (found !== null) next[value === 38 ? "front" : "back"] = found;
      at += used;
    }
  }
  return next;
}

// The text alone, for searching: cheaper than its parts.
export const plain = (raw) => (raw.length > LONGEST || raw.includes("\r") ? parse(raw).text : raw.includes("\u001b") || raw.includes("\u009b") ? raw.replace(ESCAPE, "") : raw);

// {text, parts}: `parts` is null for plain text, else [{text, style}].
export function parse(raw) {
  let line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
  // A progress bar writes over itself: what it wrote last is what would be seen.
  const over = line.lastIndexOf("\r");
  if (over >= 0) line = line.slice(over + 1) || line.slice(line.lastIndexOf("\r", over - 1) + 1, over);
  let more = 0;
  if (line.length > LONGEST) { more = line.length - LONGEST; line = line.slice(0, LONGEST); }
  const tail = more ? ` … +${more}` : "";
  if (!line.includes("\u001b") && !line.includes("\u009b")) return { text: clean(line) + tail, parts: null };
  const parts = [];
  let now = {};
  let last = 0;
  const push = (text) => { if (text) parts.push({ text: clean(text), style: now }); };
  for (const found of line.matchAll(ESCAPE)) {
    push(line.slice(last, found.index));
    last = found.index + found[0].length;
    if ((found[2] ?? found[4]) === "m") now = style(now, found[1] ?? found[3] ?? "");
  }
  push(line.slice(last) + tail);
  const text = parts.map((part) => part.text).join("");
  return { text, parts: parts.some((part) => Object.keys(part.style).length) ? parts : null };
}

export function draw(node, { text, parts }) {
  if (!parts) { node.append(text || "\u00a0"); return; }
  for (const part of parts) {
    const span = document.createElement("span");
    span.textContent = part.text;
    const { front, back } = part.style;
    const names = ["bold", "dim", "italic", "underline"].filter((name) => part.style[name]).map((name) => `ansi-${name}`);
    if (typeof front === "number") names.push(`ansi-front-${front}`); else if (front) span.style.color = front;
    if (typeof back === "number") names.push(`ansi-back-${back}`); else if (back) span.style.backgroundColor = back;
    span.className = names.join(" ");
    node.append(span);
  }
}
