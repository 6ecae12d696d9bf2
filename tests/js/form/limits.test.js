// limits.js and pointers.js: what a schema limits, in the API server's words, and the names of controls.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { load, plain, waits, wrong } from "../../../static/js/form/limits.js";

const WORDS = { integer: "not whole", number: "no number" };
const said = (mark, text, limits = {}) => wrong(mark, text, limits, "spec.x", WORDS);

before(async () => {
  // Until RE2 is there, patterns can't be judged: the server will say.
  assert.deepEqual(said("s", "A", { pattern: "^[a-z]+$" }), []);
  assert.ok(waits({ dataset: { check: '{"pattern": "x"}' } }));
  assert.ok(!waits({ dataset: { check: '{"minLength": 3}' } }) && !waits({ dataset: {} }));
  await load();
  assert.ok(!waits({ dataset: { check: '{"pattern": "x"}' } }));
});

test("whole numbers are exact, whatever their size", () => {
  assert.deepEqual(said("i", "9007199254740993"), []);
  assert.deepEqual(said("i", " +7 "), []);
  assert.deepEqual(said("i", "9223372036854775807"), []);
  assert.deepEqual(said("i", "-9223372036854775808"), []);
  for (const text of ["9223372036854775808", "-9223372036854775809"]) assert.match(said("i", text)[0], /format int64 in spec\.x$/);
  assert.deepEqual(said("i", "2147483647", { format: "int32" }), []);
  assert.match(said("i", "2147483648", { format: "int32" })[0], /format int32/);
  for (const text of ["1.5", "1e3", "x", "--1", "0x10", ""]) assert.deepEqual(said("i", text), ["not whole"], text);
});

test("bounds hold at their edges, exclusive ones beside them", () => {
  for (const mark of ["i", "n"]) {
    assert.deepEqual(said(mark, "1", { min: "1", max: "3" }), []);
    assert.deepEqual(said(mark, "3", { min: "1", max: "3" }), []);
    assert.deepEqual(said(mark, "0", { min: "1" }), ["Invalid value: 0: spec.x in body should be greater than or equal to 1"]);
    assert.deepEqual(said(mark, "4", { max: "3" }), ["Invalid value: 4: spec.x in body should be less than or equal to 3"]);
    assert.deepEqual(said(mark, "1", { min: "1", minExclusive: true }), ["Invalid value: 1: spec.x in body should be greater than 1"]);
    assert.deepEqual(said(mark, "3", { max: "3", maxExclusive: true }), ["Invalid value: 3: spec.x in body should be less than 3"]);
    assert.deepEqual(said(mark, "2", { min: "1", minExclusive: true, max: "3", maxExclusive: true }), []);
  }
  assert.equal(said("i", "0", { min: "1", multipleOf: "5" }).length, 1);
  assert.deepEqual(said("i", "7", { multipleOf: "5" }), ["Invalid value: 7: spec.x in body should be a multiple of 5"]);
  assert.deepEqual(said("i", "10", { multipleOf: "5" }), []);
});

test("numbers are read as the API server reads them", () => {
  for (const text of ["1", "-1.5", ".5", "1.", "1e-3", "+2E5"]) assert.deepEqual(said("n", text), [], text);
  for (const text of ["one", "1,5", "e5", "."]) assert.deepEqual(said("n", text), ["no number"], text);
  assert.equal(said("n", "1.5", { max: "1" }).length, 1);
});

test("a text is as long as it has characters, and lines end in one", () => {
  assert.deepEqual(said("s", "😀😀", { maxLength: 2 }), []);
  assert.deepEqual(said("s", "😀😀😀", { maxLength: 2 }), ["Too long: may not be more than 2 bytes"]);
  assert.deepEqual(said("s", "ab", { maxLength: 1 }), ["Too long: may not be more than 1 byte"]);
  assert.deepEqual(said("s", "a\r\nb", { maxLength: 3 }), []);
  assert.deepEqual(said("s", "ab", { minLength: 3 }), ['Invalid value: "ab": spec.x in body should be at least 3 chars long']);
  assert.deepEqual(said("s", "abc", { minLength: 3 }), []);
  assert.deepEqual(said("s", "anything"), []);
});

test("patterns are Go's, found anywhere, and no text hangs them", () => {
  assert.deepEqual(said("s", "Ab", { pattern: "^[a-z]+$" }), [`Invalid value: "Ab": spec.x in body should match '^[a-z]+$'`]);
  assert.deepEqual(said("s", "xaby", { pattern: "ab" }), []);
  assert.deepEqual(said("s", "é", { pattern: "^\\p{L}$" }), []);
  // Too new or broken: the server will say.
  assert.deepEqual(said("s", "x", { pattern: "(?=a)" }), []);
  const began = Date.now();
  assert.equal(said("s", `${"a".repeat(20_000)}!`, { pattern: "^(a+)+$" }).length, 1);
  assert.ok(Date.now() - began < 5000);
});

test("a number or a text: whole numbers by their limits, texts by theirs, quoted ones as they are", () => {
  assert.equal(said("q", "7", { max: "5" }).length, 1);
  assert.deepEqual(said("q", "08", { max: "5" }), []);
  assert.equal(said("q", "abc", { maxLength: 2 }).length, 1);
  assert.deepEqual(said("q", '"12345"', { maxLength: 2 }), []);
  assert.deepEqual(said("b", "anything"), []);
});

test("a sentence of the API server in the reader's words", () => {
  const rules = [["^Required value", "missing"], ["should be less than or equal to (?<limit>\\S+)$", "at most %(limit)s"]];
  assert.equal(plain("Required value", rules), "missing");
  assert.equal(plain("Invalid value: 5: spec.x in body should be less than or equal to 3", rules), "at most 3");
  assert.equal(plain("should be less than or equal to $&", rules), "at most $&");
  assert.equal(plain("something new", rules), "something new");
});
