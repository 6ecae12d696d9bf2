"""Rewrites a YAML text for a changed object and leaves the rest as it was typed: comments, order, quotes, blank lines.

Only what differs is cut out and written again. The meaning of a text is decided by `yamltext.load` alone, and so is the
result: where a finer cut didn't give the right object (anchors, merge keys), a coarser one is tried, and at last the
whole object is written.
"""

import json
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any

import yaml

from resources import yamltext
from resources.writing.diff import same
from untrusted import yaml_bounds

Edit = tuple[int, int, str]
_MERGE = "tag:yaml.org,2002:merge"


class _Tangled(Exception):
    """Cut coarser: an alias, a merge key, or something that does not stand on lines of its own."""


def rewrite(text: str, new: dict[str, Any]) -> str:
    """`text`, changed so that it means `new`. A text that isn't an object is replaced."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        old = yamltext.load(text)
    except yamltext.YamlProblem:
        return yamltext.dump(new)
    if same(old, new):
        return text
    if isinstance(old, dict) and old:
        for cut in (_Cut(text), _Coarse(text)):
            try:
                result = cut.made(old, new)
                if same(yamltext.load(result), new):
                    return result
            except (_Tangled, yamltext.YamlProblem, yaml.YAMLError):
                continue
    return yamltext.dump(new)


class _Cut:
    """Collects the edits of one text."""

    def __init__(self, text: str) -> None:
        self.text = text if text.endswith("\n") else f"{text}\n"
        self.edits: list[Edit] = []
        documents = yaml_bounds.compose_all(self.text)
        self.root = next(node for node in documents if isinstance(node, yaml.MappingNode))
        self.shared: set[int] = set()
        self.indented = False
        self._look(self.root, set())

    def _look(self, node: yaml.Node, seen: set[int]) -> None:
        """Notes what stands in several places, and whether lists are set in under their keys."""
        if id(node) in seen:
            self.shared.add(id(node))
            return
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if isinstance(value, yaml.SequenceNode) and not value.flow_style:
                    self.indented = self.indented or value.start_mark.column > key.start_mark.column
                self._look(value, seen)
        elif isinstance(node, yaml.SequenceNode):
            for item in node.value:
                self._look(item, seen)

    def made(self, old: dict[str, Any], new: dict[str, Any]) -> str:
        self.mapping(self.root, old, new)
        result, end = [], len(self.text)
        # From the end, so that places stay true; what is put at one place keeps its order.
        for _, (start, stop, put) in sorted(
            enumerate(self.edits), key=lambda pair: (pair[1][0], pair[0]), reverse=True
        ):
            if stop > end:
                raise _Tangled
            result += [self.text[stop:end], put]
            end = start
        return "".join(reversed([*result, self.text[:end]]))

    # What differs

    def value(self, node: yaml.Node, old: Any, new: Any, place: "_Place") -> None:
        if same(old, new):
            return
        if id(node) in self.shared:
            raise _Tangled
        block = isinstance(node, yaml.CollectionNode) and not node.flow_style
        if block and old and new and isinstance(old, dict) and isinstance(new, dict) and set(old) & set(new):
            self.mapping(node, old, new)
        elif block and old and new and isinstance(old, list) and isinstance(new, list):
            self.sequence(node, old, new)
        else:
            self.replace(node, new, place)

    def mapping(self, node: Any, old: dict[str, Any], new: dict[str, Any]) -> None:
        entries = self.entries(node, old)
        common_keys = [key for key in entries if key in new]
        if not common_keys or node.flow_style:
            raise _Tangled
        for key, (key_node, value_node) in entries.items():
            if key in new:
                self.value(value_node, old[key], new[key], _Place(self, key_node, value_node))
            else:
                self.remove(node, entries, key)
        before = ""
        for key in new:
            if key in entries:
                before = key
                continue
            last = entries[before or common_keys[-1]]
            self.edits.append((*self.line_after(last[1], last[0]), self.entry(key, new[key], node.start_mark.column)))

    def entries(self, node: Any, old: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
        """Its entries by the keys that they have in the object."""
        if len(node.value) != len(old) or any(key.tag == _MERGE for key, _ in node.value):
            raise _Tangled
        return dict(zip(old, node.value, strict=True))

    def remove(self, node: Any, entries: dict[str, tuple[Any, Any]], key: str) -> None:
        key_node, value_node = entries[key]
        start = key_node.start_mark.index
        line = start - key_node.start_mark.column
        if self.text[line:start].strip():  # behind the dash of an item: what follows takes its place
            names = list(entries)
            following = names.index(key) + 1
            if following == len(names):
                raise _Tangled
            self.edits.append((start, entries[names[following]][0].start_mark.index, ""))
        else:
            self.edits.append((line, self.line_after(value_node, key_node)[0] + 1, ""))

    def sequence(self, node: Any, old: list[Any], new: list[Any]) -> None:
        if len(node.value) != len(old):
            raise _Tangled
        dashes, column = self.dashes(node), node.start_mark.column
        matcher = SequenceMatcher(None, [_canon(item) for item in old], [_canon(item) for item in new], autojunk=False)
        for tag, low, high, first, last in matcher.get_opcodes():
            if tag == "equal":
                continue
            both = min(high - low, last - first)
            for place in range(both):
                item = node.value[low + place]
                self.value(item, old[low + place], new[first + place], _Place(self, dashes[low + place], item))
            for place in range(low + both, high):
                self.remove_item(node.value[place], dashes[place])
            for place in range(first + both, last):
                self.insert_item(node, dashes, low + both, new[place], column)

    def dashes(self, node: Any) -> list[int]:
        """Where each item's dash stands."""
        found = [node.start_mark.index]
        mark = "\n" + " " * node.start_mark.column + "-"
        for item, _ in pairwise(node.value):
            place = self.text.find(mark, max(self.end(item) - 1, found[-1]))
            if place < 0:
                raise _Tangled
            found.append(place + len(mark) - 1)
        return found

    def remove_item(self, item: yaml.Node, dash: int) -> None:
        line = self.text.rfind("\n", 0, dash) + 1
        if self.text[line:dash].strip():
            raise _Tangled
        self.edits.append((line, self.line_after(item, None, dash)[0] + 1, ""))

    def insert_item(self, node: Any, dashes: list[int], place: int, value: Any, column: int) -> None:
        put = self.entry(None, value, column)
        if place:
            self.edits.append((*self.line_after(node.value[place - 1], None, dashes[place - 1]), put))
            return
        line = self.text.rfind("\n", 0, dashes[0])
        if self.text[line + 1 : dashes[0]].strip() or line < 0:
            raise _Tangled
        self.edits.append((line, line, put))

    def replace(self, node: yaml.Node, new: Any, place: "_Place") -> None:
        """One value for another; a short one leaves its line's comment where it is."""
        flow = not isinstance(node, yaml.ScalarNode) or node.style not in ("|", ">")
        flow = flow and not (isinstance(node, yaml.CollectionNode) and not node.flow_style)
        inline = self.inline(node, new)
        start, end = node.start_mark.index, self.end(node)
        if flow and inline is not None and end > start and "\n" not in self.text[place.after : start]:
            self.edits.append((start, end, inline))
            return
        written = self.entry("k" if place.column >= 0 else None, new, max(place.column, place.dash))
        head, _, rest = written.lstrip("\n ").partition(":" if place.column >= 0 else "-")[2].partition("\n")
        comment = self.comment(place.after, start)
        self.edits.append((place.after, max(end, place.after), head + comment + (f"\n{rest}" if rest else "")))

    def comment(self, start: int, stop: int) -> str:
        """What is written behind a key whose value stands on lines of its own."""
        line = self.text[start:stop].partition("\n")[0]
        return f" {line.strip()}" if line.strip().startswith("#") and "\n" in self.text[start:stop] else ""

    # How it is written

    def inline(self, node: yaml.Node, new: Any) -> str | None:
        """The value within a line, quoted as the old one was; None when it takes several."""
        if isinstance(new, (dict, list)) and new:
            if not isinstance(node, yaml.CollectionNode):
                return None
            text = str(
                yaml.dump(
                    new,
                    Dumper=yamltext.Dumper,
                    default_flow_style=True,
                    sort_keys=False,
                    allow_unicode=True,
                    width=10**9,
                )
            ).strip()
            return None if "\n" in text else text
        style = node.style if isinstance(node, yaml.ScalarNode) and node.style in ("'", '"') else None
        if isinstance(new, str) and style and "\n" not in new and new.isprintable():
            return f"'{new.replace(chr(39), chr(39) * 2)}'" if style == "'" else json.dumps(new, ensure_ascii=False)
        text = yamltext.dump(new).rstrip("\n")
        return None if "\n" in text else text

    def entry(self, key: str | None, value: Any, column: int) -> str:
        """A new line (or more) of a mapping, or of a list where there is no key."""
        dumper = _Indented if self.indented else yamltext.Dumper
        whole = [value] if key is None else {key: value}
        text = str(yaml.dump(whole, Dumper=dumper, sort_keys=False, allow_unicode=True, width=10_000)).rstrip("\n")
        if key is None and self.indented:
            text = "\n".join(line.removeprefix("  ") for line in text.split("\n"))
        return "".join(f"\n{' ' * column}{line}" if line else "\n" for line in text.split("\n"))

    # Where it stands

    def end(self, node: yaml.Node) -> int:
        """Behind the last letter of the value: marks of blocks reach to what comes next."""
        if isinstance(node, yaml.CollectionNode) and not node.flow_style:
            if not node.value:
                return int(node.start_mark.index)
            last = node.value[-1]
            if isinstance(last, tuple):
                return max(self.end(last[1]), int(last[0].end_mark.index) + 1)
            return max(self.end(last), int(node.start_mark.index) + 1)
        end = int(node.end_mark.index)
        if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">"):
            return len(self.text[:end].rstrip("\n ")) if node.value.strip("\n ") else end
        return end

    def line_after(self, node: yaml.Node, key: yaml.Node | None, dash: int = 0) -> tuple[int, int]:
        """The end of the line that the value ends on."""
        end = max(self.end(node), key.end_mark.index + 1 if key else dash + 1)
        place = self.text.find("\n", end)
        return (place, place) if place >= 0 else (len(self.text), len(self.text))


class _Coarse(_Cut):
    """Parts of the object that differ are written again as a whole."""

    def value(self, node: yaml.Node, old: Any, new: Any, place: "_Place") -> None:
        if not same(old, new):
            self.replace(node, new, place)

    def inline(self, node: yaml.Node, new: Any) -> str | None:
        return None if isinstance(node, yaml.CollectionNode) else super().inline(node, new)


class _Place:
    """What a value stands behind: its key's colon, or its item's dash.

    `column` of the key, -1 for items; `dash` its column.
    """

    def __init__(self, cut: _Cut, before: Any, value: yaml.Node) -> None:
        if isinstance(before, int):
            self.after = before + 1
            self.column, self.dash = -1, before - (cut.text.rfind("\n", 0, before) + 1)
        else:
            colon = cut.text.find(":", before.end_mark.index)
            self.after = colon + 1
            self.column, self.dash = before.start_mark.column, -1


class _Indented(yaml.SafeDumper):
    """Lists set in under their keys."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        return True


_Indented.add_representer(str, yamltext.represent_text)
_Indented.yaml_implicit_resolvers = yamltext.Dumper.yaml_implicit_resolvers


def _canon(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
