"""What Go's encoding/json says about text that is no JSON. Only called when it is known to be none."""

from __future__ import annotations

_BLANK = b" \t\r\n"
_DIGITS = b"0123456789"
_HEX = b"0123456789abcdefABCDEF"
_END = "unexpected end of JSON input"


class _Complaint(Exception):
    """Carries Go's sentence."""


def complaint(data: bytes) -> str:
    """Go's sentence about the first thing that is wrong; empty when nothing is."""
    scanner = _Scanner(data)
    try:
        scanner.value()
        scanner.blanks()
        if scanner.at < len(data):
            raise scanner.bad("after top-level value")
    except _Complaint as found:
        return str(found)
    return ""


class _Scanner:
    """Reads one value from a position on."""

    def __init__(self, data: bytes):
        self.data = data
        self.at = 0

    def bad(self, context: str) -> _Complaint:
        """About the byte here, or about the end when there is none."""
        if self.at >= len(self.data):
            return _Complaint(_END)
        return _Complaint(f"invalid character {_quoted(self.data[self.at])} {context}")

    def peek(self) -> bytes:
        return self.data[self.at : self.at + 1]

    def blanks(self) -> None:
        while self.at < len(self.data) and self.data[self.at] in _BLANK:
            self.at += 1

    def value(self) -> None:
        self.blanks()
        match self.peek():
            case b"{":
                self._object()
            case b"[":
                self._list()
            case b'"':
                self._string()
            case b"t":
                self._literal("true")
            case b"f":
                self._literal("false")
            case b"n":
                self._literal("null")
            case first if first and first in b"-0123456789":
                self._number()
            case _:
                raise self.bad("looking for beginning of value")

    def _object(self) -> None:
        self.at += 1
        self.blanks()
        if self.peek() == b"}":
            self.at += 1
            return
        while True:
            self.blanks()
            if self.peek() != b'"':
                raise self.bad("looking for beginning of object key string")
            self._string()
            self.blanks()
            if self.peek() != b":":
                raise self.bad("after object key")
            self.at += 1
            self.value()
            if self._ends(b"}", "after object key:value pair"):
                return

    def _list(self) -> None:
        self.at += 1
        self.blanks()
        if self.peek() == b"]":
            self.at += 1
            return
        while True:
            self.value()
            if self._ends(b"]", "after array element"):
                return

    def _ends(self, end: bytes, context: str) -> bool:
        """Passes the comma or the end that must come now."""
        self.blanks()
        found = self.peek()
        if found != end and found != b",":
            raise self.bad(context)
        self.at += 1
        return found == end

    def _string(self) -> None:
        self.at += 1
        while self.peek() != b'"':
            if self.at >= len(self.data) or self.data[self.at] < 0x20:
                raise self.bad("in string literal")
            if self.data[self.at] == 0x5C:
                self._escape()
            self.at += 1
        self.at += 1

    def _escape(self) -> None:
        self.at += 1
        if self.peek() == b"u":
            for _ in range(4):
                self.at += 1
                if self.at >= len(self.data) or self.data[self.at] not in _HEX:
                    raise self.bad("in \\u hexadecimal character escape")
        elif self.at >= len(self.data) or self.data[self.at] not in b'bfnrt\\/"':
            raise self.bad("in string escape code")

    def _literal(self, word: str) -> None:
        for letter in word[1:]:
            self.at += 1
            if self.peek() != letter.encode():
                raise self.bad(f"in literal {word} (expecting '{letter}')")
        self.at += 1

    def _number(self) -> None:
        if self.peek() == b"-":
            self.at += 1
            self._need_digit("in numeric literal")
        if self.peek() == b"0":
            self.at += 1
        else:
            self._digits()
        if self.peek() == b".":
            self.at += 1
            self._need_digit("after decimal point in numeric literal")
            self._digits()
        if self.peek() in (b"e", b"E"):
            self.at += 1
            if self.peek() in (b"+", b"-"):
                self.at += 1
            self._need_digit("in exponent of numeric literal")
            self._digits()

    def _need_digit(self, context: str) -> None:
        if self.at >= len(self.data) or self.data[self.at] not in _DIGITS:
            raise self.bad(context)

    def _digits(self) -> None:
        while self.at < len(self.data) and self.data[self.at] in _DIGITS:
            self.at += 1


def _quoted(byte: int) -> str:
    """The byte as Go's quoteChar writes it."""
    special = {0x27: "\\'", 0x22: '"', 0x5C: "\\\\", 0x0A: "\\n", 0x09: "\\t", 0x0D: "\\r"}
    if byte in special:
        return f"'{special[byte]}'"
    shown = chr(byte)
    return f"'{shown}'" if shown.isprintable() else f"'\\x{byte:02x}'" if byte < 0x80 else f"'\\u{byte:04x}'"
