// Where in an object a place of its YAML is, from indentation alone: it works in a text that is not finished, on an empty line too.
// No editor in here: lines and numbers in, plain values out.

const KEY = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#"'[\]{},&*!|>%@`-][^#]*?|-[^\s#][^#]*?)\s*:(?=\s|$)/;
const BLOCK = /:\s*(?:[!&]\S+\s+)*[|>][+\-0-9]*\s*(?:#.*)?$|^\s*(?:-\s+)*-\s+[|>][+\-0-9]*\s*(?:#.*)?$/;

export const indentOf = (line) => line.length - line.trimStart().length;
export const unquoted = (key) => (/^".*"$/.test(key) ? key.slice(1, -1).replace(/\\(.)/g, "$1") : /^'.*'$/.test(key) ? key.slice(1, -1).replaceAll("''", "'") : key);

// A line taken apart: the columns of its dashes, its key with the key's column, and what follows.
export function parts(line) {
  let column = indentOf(line);
  const dashes = [];
  while (/^-(\s|$)/.test(line.slice(column))) {
    dashes.push(column);
    column += 1;
    const rest = line.slice(column);
    if (!rest.trim()) { column = line.length; break; }
    column += indentOf(rest);
  }
  const rest = line.slice(column);
  const found = KEY.exec(rest);
  return { dashes, column, rest, key: found ? unquoted(found[1]) : null, after: found ? column + found[0].length : column };
}

const blank = (line) => /^\s*(#.*)?$/.test(line);

// The steps that lead to a line: keys and items, each with the column it stands at.
function step(stack, line) {
  const { dashes, column, key } = parts(line);
  for (const dash of dashes) {
    let index = 0;
    while (stack.length && (stack.at(-1).column > dash || (stack.at(-1).column === dash && stack.at(-1).item))) {
      const last = stack.pop();
      if (last.item && last.column === dash) index = last.name + 1;
    }
    stack.push({ column: dash, item: true, name: index });
  }
  if (key === null) return;
  while (stack.length && stack.at(-1).column >= column) stack.pop();
  stack.push({ column, item: false, name: key });
}

// The lines of the document that `row` is in: [first, behind the last].
export function documentAt(lines, row) {
  let first = row;
  while (first > 0 && !/^---(\s|$)/.test(lines[first])) first -= 1;
  if (/^---(\s|$)/.test(lines[first])) first += 1;
  let last = Math.max(row, first);
  while (last < lines.length && !/^(---|\.\.\.)(\s|$)/.test(lines[last])) last += 1;
  return [first, last];
}

// apiVersion and kind of that document.
export function kindAt(lines, row) {
  const [first, last] = documentAt(lines, row);
  const found = {};
  for (let at = first; at < last; at += 1) {
    const { key, dashes, column, after } = parts(lines[at]);
    if (column === 0 && !dashes.length && (key === "apiVersion" || key === "kind")) found[key] ??= unquoted(lines[at].slice(after).replace(/\s#.*$/, "").trim());
  }
  return { apiVersion: found.apiVersion ?? "", kind: found.kind ?? "" };
}

// The steps above `row`, or null where that is inside a text block. The row itself is not looked at.
function above(lines, row) {
  const [first] = documentAt(lines, row);
  const stack = [];
  let block = -1;
  for (let at = first; at < row; at += 1) {
    const line = lines[at];
    if (block >= 0) {
      if (!line.trim() || indentOf(line) > block) continue;
      block = -1;
    }
    if (blank(line)) continue;
    step(stack, line);
    if (BLOCK.test(line)) block = Math.max(indentOf(line), stack.at(-1)?.column ?? 0);
  }
  if (block >= 0 && (!lines[row].trim() || indentOf(lines[row]) > block)) return lines[row].trim() ? null : { stack, block };
  return { stack, block: -1 };
}

// `first`: the row begins an item, so what is above it is of another.
function siblings(lines, row, column, first) {
  const found = new Set();
  const look = (from, by) => {
    for (let at = from; at >= 0 && at < lines.length; at += by) {
      const line = lines[at];
      if (blank(line)) continue;
      if (/^(---|\.\.\.)(\s|$)/.test(line)) return;
      const got = parts(line);
      if (got.dashes.length && got.dashes.at(-1) < column && indentOf(line) < column) {
        if (by < 0 && got.column === column && got.key !== null) found.add(got.key);
        return;
      }
      if (indentOf(line) < column) return;
      if (got.column === column && !got.dashes.length && got.key !== null) found.add(got.key);
    }
  };
  if (!first) look(row - 1, -1);
  look(row + 1, 1);
  return found;
}

// What the cursor stands at: {what: "key" | "value", path, word, from (its column), column, dashed, keys (already there)}; null where
// nothing can be said (text blocks, flow collections, comments).
export function placeAt(lines, row, column) {
  const line = lines[row].slice(0, column);
  if (/(^|\s)#/.test(line) || /^(---|\.\.\.)/.test(line)) return null;
  const found = above(lines, row);
  if (found === null) return null;
  const { dashes, column: start, rest, key, after } = parts(line);
  if (/[[{]/.test(rest.slice(key === null ? 0 : after - start)) || (found.block >= 0 && start > found.block)) return null;
  const stack = [...found.stack];
  step(stack, dashes.length || key !== null ? line : "");
  if (key !== null) {
    const word = line.slice(after).trimStart();
    return { what: "value", path: stack.map((one) => one.name), word, from: column - word.length, column: start, dashed: dashes.length > 0, keys: new Set(), close: after === column };
  }
  while (stack.length && (stack.at(-1).column > start || (stack.at(-1).column === start && !(stack.at(-1).item && dashes.length)))) stack.pop();
  return { what: "key", path: stack.map((one) => one.name), word: rest, from: start, column: start, dashed: dashes.length > 0, keys: siblings(lines, row, start, dashes.length > 0) };
}

// The field that a line is about, and the columns of its key; null where there is none.
export function fieldAt(lines, row) {
  const found = blank(lines[row]) ? null : above(lines, row);
  if (!found || found.block >= 0) return null;
  const got = parts(lines[row]);
  if (got.key === null && !got.dashes.length) return null;
  step(found.stack, lines[row]);
  return { path: found.stack.map((one) => one.name), from: got.column, to: got.key === null ? lines[row].length : got.after };
}
