"""Regular expressions of schemas are RE2's, as Go compiles them; this makes Python expressions of them.

What differs and occurs in real CRDs: ``$`` and ``\\z`` mean the very end, POSIX classes, ``\\p{L}``-like classes, flags in
the middle, and classes such as ``\\d`` know ASCII only. Python goes back and tries again, which may take for ever: an expression
with a repetition inside a repetition, and one that cannot be carried over, is matched by an automaton, which never does.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import logging
import re

from . import automaton

log = logging.getLogger(__name__)

#: Characters; longer texts are matched by the automaton, or not at all.
LONG = 4000

_POSIX = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "ascii": "\\x00-\\x7F", "blank": "\\t ", "cntrl": "\\x00-\\x1F\\x7F",
    "digit": "0-9", "graph": "!-~", "lower": "a-z", "print": " -~", "punct": "!-/:-@\\[-`{-~", "space": "\\t\\n\\v\\f\\r ",
    "upper": "A-Z", "word": "0-9A-Za-z_", "xdigit": "0-9A-Fa-f",
}  # fmt: skip
#: Unicode classes, as ranges good enough for names of people and places: letters and digits beyond ASCII count alike.
_UNICODE = {
    "L": "A-Za-z\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u1fff\u2c00-\ufffd",
    "Lu": "A-Z\u00c0-\u00d6\u00d8-\u00de",
    "Ll": "a-z\u00df-\u00f6\u00f8-\u00ff",
    "N": "0-9\u00b2\u00b3\u00b9\u0660-\u0669",
    "Nd": "0-9\u0660-\u0669",
    "Z": " \u00a0\u2000-\u200a\u2028\u2029\u3000",
    "S": "$+<=>^`|~\u00a2-\u00a9\u00ac\u00ae-\u00b1\u20a0-\u20bf\u2190-\u2bff",
    "P": "!-#%-*,-/:;?@\\[-\\]_{}\u00a1\u00a7\u00ab\u00b6\u00b7\u00bb\u00bf\u2010-\u2027\u3001-\u3003",
}
_TOKEN = re.compile(
    r"\\Q(?P<quoted>.*?)(?:\\E|$)"
    r"|\\(?P<neg>[pP])(?:\{(?P<not>\^?)(?P<class>\w+)\}|(?P<letter>\w))"
    r"|\\(?P<escape>x\{[0-9A-Fa-f]+\}|.)"
    r"|\[:(?P<no>\^?)(?P<posix>\w+):\]"
    r"|\(\?(?P<flags>[imsU]+)\)"
    r"|(?P<foreign>\(\?(?:=|!|<=|<!|>|P=|#|\()|\\[1-9]|[*+?}]\+)"
    r"|\(\?<(?P<name>[A-Za-z_]\w*)>"
    r"|(?P<brace>\{(?!\d+(?:,\d*)?\}))"
    r"|(?P<char>.)",
    re.DOTALL,
)


def to_python(pattern: str) -> str:
    """The same expression for :mod:`re`. ValueError for classes that are not known here."""
    out: list[str] = []
    in_class = False
    open_groups = [0]  # how many "(?i:" must be closed with each group
    for token in _TOKEN.finditer(pattern):
        kind = token.lastgroup
        text = token.group()
        if token["quoted"] is not None:
            out.append(re.escape(token["quoted"]))
        elif token["neg"]:
            out.append(_unicode(token, in_class))
        elif token["escape"]:
            out.append(_escape(token["escape"]))
        elif token["brace"]:
            out.append("\\{")
        elif token["posix"] and in_class:
            if token["no"] or token["posix"] not in _POSIX:
                raise ValueError(text)
            out.append(_POSIX[token["posix"]])
        elif token["foreign"] and not in_class:
            raise ValueError(f"RE2 has no {text}")
        elif token["flags"] and not in_class:
            if out and not out[-1].endswith(("(", ":")):
                raise ValueError(f"{text} in the middle")
            out.append(f"(?{token['flags'].replace('U', '')}:")
            open_groups[-1] += 1
        elif token["name"] and not in_class:
            out.append(f"(?P<{token['name']}>")
            open_groups.append(0)
        elif in_class:
            out.append("\\[" if text == "[" else text)
            in_class = not (text == "]" and kind == "char" and not _first_in_class(out))
        else:
            in_class = text == "["
            out.append(_plain(text, open_groups))
    return "".join(out) + ")" * sum(open_groups)


def _plain(text: str, open_groups: list[int]) -> str:
    if text == "(":
        open_groups.append(0)
    elif text == ")" and len(open_groups) > 1:
        return ")" * (open_groups.pop() + 1)
    return r"\Z" if text == "$" else text


def _first_in_class(out: list[str]) -> bool:
    """Whether the ``]`` just written is the first thing in its class, where it means itself."""
    return out[-2] == "[" or (out[-2] == "^" and len(out) > 2 and out[-3] == "[")


def _unicode(token: re.Match[str], in_class: bool) -> str:
    known = _UNICODE[token["class"] or token["letter"]]
    negative = (token["neg"] == "P") != bool(token["not"])
    if in_class and negative:
        raise ValueError(token.group())
    return known if in_class else f"[{'^' if negative else ''}{known}]"


def _escape(escape: str) -> str:
    if escape == "z":
        return r"\Z"
    if escape in "123456789":
        raise ValueError("RE2 has no references")
    if escape.startswith("x{"):
        return re.escape(chr(int(escape[2:-1], 16)))
    if escape.isalnum() or escape.isspace():
        return "\\" + escape
    return re.escape(escape) if escape.isascii() else escape


@functools.lru_cache(maxsize=2048)
def compiled(pattern: str) -> re.Pattern[str] | None:
    """Ready to ``search``; None for a pattern that cannot be carried over."""
    try:
        return re.compile(to_python(pattern), re.ASCII)
    except (re.error, ValueError, KeyError, OverflowError) as error:
        log.info("Python cannot express the pattern %s (%s)", pattern, error)
        return None


def matches(pattern: str, text: str) -> bool:
    """Whether the pattern is found in the text. A pattern that nobody here can tell about matches everything."""
    expression = compiled(pattern)
    if expression is not None and len(text) <= LONG and not automaton.risky(pattern):
        return expression.search(text) is not None
    found = automaton.search(pattern, text)
    return found is None or found


@functools.lru_cache(maxsize=256)
def fault(pattern: str) -> str:
    """Why the pattern is none, in Go's words, which the RE2 in the CEL library gives; empty when it is fine or nobody can tell."""
    if compiled(pattern) is not None or importlib.util.find_spec("cel_expr_python") is None:
        return ""
    expressions = importlib.import_module(".cel.expressions", __package__)
    source = expressions.compile_expression("self.text.matches(self.pattern)")
    try:
        expressions.run(source, {"text": "", "pattern": pattern}, None, False)
    except (expressions.Failed, expressions.Unsupported) as error:
        what, _, where = str(error).removeprefix("invalid regular expression: ").partition(": ")
        what = re.sub(r"missing ([])])", r"missing closing \1", what)
        return f"error parsing regexp: {what}: `{where}`"
    return ""
