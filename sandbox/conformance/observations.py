"""What a cluster answered, put side by side with what a real one answered when the suite was recorded.

A check is one call of `Seen`: a name that is unique in its test, and an answer. Its observation (status, headers, body,
with what differs between any two runs replaced by placeholders) must equal the recorded one. The record comes from a
real kube-apiserver (`make conformance-record`), so what a test expects is not our reading of the documentation. The
whole answer is recorded; see `promised` for what is compared of it.
"""

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from tests.api import Answer

#: What is compared of the headers: the rest is the server's own business.
HEADERS = ("content-type", "warning", "location", "retry-after", "allow")
_TIME = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
_UID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
_TOKEN_VOLUME = re.compile(r"\bkube-api-access-[a-z0-9]{5}\b")
_IP = re.compile(r"\b10\.\d+\.\d+\.\d+\b")
#: A message may repeat a whole object, quoted once or twice.
_QUOTED_VERSION = re.compile(r'(\\*"resourceVersion\\*":\\*")\d+')
#: Fields whose value tells the moment or the machine; their presence is compared.
_VOLATILE = {
    "resourceVersion": "<version>",
    "uid": "<uid>",
    "nodeName": "<node>",
    "hostIP": "<ip>",
    "podIP": "<ip>",
    "ip": "<ip>",
    "clusterIP": "<ip>",
    "nodePort": "<port>",
    "continue": "<token>",
    "containerID": "<container>",
    "imageID": "<image>",
}


class Seen:
    """The checks of one test. ``recorded``: None while recording; ``excused``: names of known differences."""

    def __init__(self, recorded: dict[str, Any] | None, excused: dict[str, str], aliases: dict[str, str]):
        self.recorded = recorded
        self.excused = excused
        self.observed: dict[str, Any] = {}
        self.different: dict[str, str] = {}
        self._aliases = dict(aliases)

    def alias(self, placeholder: str, value: str) -> None:
        """From now on this text, which differs from run to run, stands as ``<placeholder>``."""
        self._aliases[value] = f"<{placeholder}>"

    def __call__(self, name: str, answer: Answer, only: Iterable[str] = (), without: Iterable[str] = ()) -> Answer:
        """An answer: status, headers, body. ``only`` and ``without`` are dotted paths into the body (lists: each item).

        ``managedFields`` are compared only when asked for by ``only``. Returns the answer.
        """
        observation: dict[str, Any] = {"status": answer.status}
        headers = {key: answer.headers[key] for key in HEADERS if key in answer.headers}
        if headers:
            observation["headers"] = self._plain(headers)
        if "json" in answer.headers.get("content-type", ""):
            observation["body"] = self._body(answer.json, tuple(only), tuple(without))
        elif answer.raw:
            observation["text"] = self._plain(answer.raw.decode(errors="replace"))
        self._note(name, observation)
        return answer

    def value(self, name: str, value: Any, only: Iterable[str] = (), without: Iterable[str] = ()) -> Any:
        """Anything that JSON can say: events of a watch, a list of names, an object."""
        self._note(name, self._body(value, tuple(only), tuple(without)))
        return value

    def text(self, name: str, text: str) -> str:
        """What a program such as kubectl printed; ages and trailing blanks do not count."""
        lines = [re.sub(r"(?<=\s)(\d+[smhd])+(?=\s|$)", "<age>", line).rstrip() for line in text.splitlines()]
        plain: list[str] = self._plain([re.sub(r" {2,}", "  ", line) for line in lines])
        self._note(name, [_any_kubectl(line) for line in plain])
        return text

    def _note(self, name: str, observation: Any) -> None:
        assert name not in self.observed, f"two checks of this test are named {name!r}"
        self.observed[name] = observation
        recorded = (self.recorded or {}).get(name)
        if self.recorded is not None and promised(recorded) != promised(observation):
            self.different[name] = difference(recorded, observation)

    # One form for every run

    def _body(self, body: Any, only: tuple[str, ...], without: tuple[str, ...]) -> Any:
        found = _select(body, [path.split(".") for path in only]) if only else body
        hidden = [path.split(".") for path in without]
        if not any("managedFields" in path for path in only):
            found = _drop_managed_fields(found)
        for path in hidden:
            found = _drop(found, path)
        return self._plain(found)

    def _plain(self, value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {
                self._text(name): self._plain(inner, name) if not _f_key(name) else inner
                for name, inner in value.items()
            }
        if isinstance(value, list):
            return [self._plain(item, key) for item in value]
        if isinstance(value, str):
            return _VOLATILE[key] if key in _VOLATILE and value not in ("", "None") else self._text(value)
        if key in _VOLATILE and isinstance(value, int) and not isinstance(value, bool):
            return _VOLATILE[key]
        return value

    def _text(self, text: str) -> str:
        for value, placeholder in self._aliases.items():
            text = text.replace(value, placeholder)
        text = _TOKEN_VOLUME.sub("kube-api-access-<random>", text)
        text = _TIME.sub("<time>", text)
        text = _IP.sub("<ip>", text)
        text = _QUOTED_VERSION.sub(r"\1<version>", text)
        return _UID.sub("<uid>", text)

    # The end of the test

    def mismatches(self) -> list[str]:
        """What is wrong with the test's checks. So is a known difference that has gone."""
        lines = [f"{name}:\n{text}" for name, text in self.different.items() if name not in self.excused]
        forgotten = (self.recorded or {}).keys() - self.observed.keys()
        lines += [f"{name}: recorded, but not checked any more (record again)" for name in forgotten]
        equal = self.excused.keys() - self.different.keys()
        lines += [f"{name}: listed in differences.toml, but there is no difference: take it out" for name in equal]
        return lines


def promised(observation: Any) -> Any:
    """What of an observation is compared: of a built-in kind's or a CRD's refusal by validation the status, the
    reasons and the fields, and not the words.
    """
    body = observation.get("body") if isinstance(observation, dict) else None
    if not isinstance(body, dict) or body.get("reason") != "Invalid" or body.get("kind") != "Status":
        return observation
    details = body.get("details") or {}
    if "." in details.get("group", "").removesuffix(".k8s.io"):
        return observation
    causes = [(cause.get("field"), cause.get("reason")) for cause in details.get("causes") or []]
    details = {**details, "causes": sorted({*causes}, key=str)}
    return {**observation, "body": {**body, "message": "", "details": details}}


def _f_key(name: str) -> bool:
    """A part of managedFields, where names are field paths."""
    return name.startswith(("f:", "k:", "v:"))


def _select(body: Any, paths: list[list[str]]) -> Any:
    found: Any = {}
    for path in paths:
        found[".".join(path)] = _at(body, path)
    return found


def _at(value: Any, path: list[str]) -> Any:
    if not path:
        return value
    if isinstance(value, list):
        if path[0].isdigit():
            return _at(value[int(path[0])], path[1:]) if int(path[0]) < len(value) else None
        return [_at(item, path) for item in value]
    return _at(value.get(path[0]), path[1:]) if isinstance(value, dict) else None


def _drop(value: Any, path: list[str]) -> Any:
    if isinstance(value, list):
        return [_drop(item, path) for item in value]
    if not isinstance(value, dict) or path[0] not in value:
        return value
    if len(path) == 1:
        return {key: inner for key, inner in value.items() if key != path[0]}
    return {key: _drop(inner, path[1:]) if key == path[0] else inner for key, inner in value.items()}


def _drop_managed_fields(value: Any) -> Any:
    if isinstance(value, list):
        return [_drop_managed_fields(item) for item in value]
    if isinstance(value, dict):
        return {key: _drop_managed_fields(inner) for key, inner in value.items() if key != "managedFields"}
    return value


def _any_kubectl(line: str) -> str:
    """Without what kubectl itself words in another way since 1.33 than before; what the server said stays."""
    line = re.sub(r"(deleted) from \S+ namespace$", r"\1", line)
    line = re.sub(r"^(Error from server \(BadRequest\): |error: unable to upgrade connection: )", "error: ", line)
    return re.sub(r"( is not valid for pod \S+) out of: .*$", r"\1", line)


def difference(recorded: Any, observed: Any) -> str:
    """The leaves that differ, one a line: path, recorded, here."""
    if recorded is None:
        return "  nothing is recorded for it: `make conformance-record` on a real cluster"
    lines: list[str] = []
    _compare("", recorded, observed, lines.append)
    more = len(lines) - 40
    return "\n".join(lines[:40] + ([f"  … and {more} more"] if more > 0 else []))


def _compare(path: str, left: Any, right: Any, say: Callable[[str], None]) -> None:
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted(left.keys() | right.keys()):
            _compare(f"{path}.{key}", left.get(key, _ABSENT), right.get(key, _ABSENT), say)
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for index, (item, other) in enumerate(zip(left, right, strict=True)):
            _compare(f"{path}[{index}]", item, other, say)
    elif left != right or type(left) is not type(right):
        say(f"  {path.lstrip('.') or '(all)'}: recorded {_short(left)}, here {_short(right)}")


class _Absent:
    pass


_ABSENT = _Absent()


def _short(value: Any) -> str:
    if value is _ABSENT:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 600 else f"{text[:600]}…"
