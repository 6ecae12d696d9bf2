// ansi.js: what a program wrote for a terminal, as text and colours. It is a stranger's text.
import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../page.js";

const ESC = "\u001b";
const load = async () => (await page("", "log/ansi.js")).module;
const styles = (found) => found.parts?.map(({ text, style }) => [text, style]);

test("plain text has no parts", async () => {
  const { parse, plain } = await load();
  assert.deepEqual(parse("hello"), { text: "hello", parts: null });
  assert.equal(plain("hello"), "hello");
});

test("colours and weights begin, add up and end", async () => {
  const { parse } = await load();
  assert.deepEqual(styles(parse(`a${ESC}[1;31mb${ESC}[4mc${ESC}[22md${ESC}[39me${ESC}[0mf`)), [
    ["a", {}], ["b", { bold: true, front: 1 }], ["c", { bold: true, front: 1, underline: true }], ["d", { front: 1, underline: true }], ["e", { underline: true }], ["f", {}],
  ]);
  assert.deepEqual(styles(parse(`${ESC}[93;102mx${ESC}[49my${ESC}[my`)), [["x", { front: 11, back: 10 }], ["y", { front: 11 }], ["y", {}]]);
  assert.deepEqual(styles(parse(`${ESC}[2;3mx${ESC}[23my`)), [["x", { dim: true, italic: true }], ["y", { dim: true }]]);
  assert.deepEqual(styles(parse(`${ESC}[4;24;1mx`)), [["x", { bold: true }]]);
});

test("256 colours and true colours", async () => {
  const { parse } = await load();
  const front = (code) => parse(`${ESC}[38;${code}mx`).parts[0].style.front;
  assert.equal(front("5;9"), 9);
  assert.equal(front("5;16"), "rgb(0 0 0)");
  assert.equal(front("5;231"), "rgb(255 255 255)");
  assert.equal(front("5;67"), "rgb(95 135 175)");
  assert.equal(front("5;232"), "rgb(8 8 8)");
  assert.equal(front("5;999"), "rgb(238 238 238)");
  assert.equal(front("2;1;2;999"), "rgb(1 2 255)");
  assert.deepEqual(parse(`${ESC}[48;5;3;1mx`).parts[0].style, { back: 3, bold: true });
  assert.deepEqual(parse(`${ESC}[38;2;1;2;3;4mx`).parts[0].style, { front: "rgb(1 2 3)", underline: true });
});

test("what would move a cursor, set a title or ring is dropped", async () => {
  const { parse, plain } = await load();
  for (const [raw, text] of [
    [`${ESC}[2J${ESC}[1;1Hx`, "x"], [`${ESC}]0;title\u0007x`, "x"], [`${ESC}]8;;http://evil${ESC}\\link${ESC}]8;;${ESC}\\`, "link"], [`${ESC}Pq#0${ESC}\\x`, "x"], [`\u009b31mx`, "x"], [`${ESC}cx`, "x"],
    [`${ESC}[?25lx`, "x"],
  ]) {
    assert.equal(parse(raw).text, text, JSON.stringify(raw));
    assert.equal(plain(raw), text, JSON.stringify(raw));
  }
});

test("other control characters, and those that turn text round, are pictures", async () => {
  const { parse } = await load();
  assert.equal(parse("a\u0000b\u0007c\u007fd\u0085e\u202ef\u2066g").text, "a␀b␇c␡d\ufffde\ufffdf\ufffdg");
  assert.equal(parse("a\tb").text, "a\tb");
});

test("of a progress bar that writes over itself the last is seen", async () => {
  const { parse, plain } = await load();
  for (const [raw, text] of [["10%\r20%\r100%", "100%"], ["10%\r20%\r", "20%"], ["whole\r", "whole"], ["10%\r20%\r\r", "20%"]]) {
    assert.equal(parse(raw).text, text, JSON.stringify(raw));
    assert.equal(plain(raw), text, JSON.stringify(raw));
  }
});

test("a very long line is cut, and says by how much", async () => {
  const { parse } = await load();
  const found = parse("x".repeat(20_005));
  assert.equal(found.text.length, 20_000 + " … +5".length);
  assert.ok(found.text.endsWith("x … +5"));
});

test("it is drawn as text, never as HTML", async () => {
  const { module: { draw, parse }, document } = await page("<div></div>", "log/ansi.js");
  const shown = (raw) => { const node = document.createElement("div"); draw(node, parse(raw)); return node; };
  assert.equal(shown("<b>x</b>").children.length, 0);
  assert.equal(shown("<b>x</b>").textContent, "<b>x</b>");
  assert.equal(shown("").textContent, "\u00a0");
  const [bold, colour] = shown(`${ESC}[1;4;31;42m<i>${ESC}[0;38;2;1;2;3mx`).children;
  assert.equal(bold.textContent, "<i>");
  assert.equal(bold.className, "ansi-bold ansi-underline ansi-front-1 ansi-back-2");
  assert.equal(colour.className, "");
  assert.match(colour.getAttribute("style"), /color:\s*rgb\(1 2 3\)/);
});
