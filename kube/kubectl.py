"""The same with kubectl: commands beside a form; they follow its ticks and what is typed, as its button would."""

import json
import shlex
from collections.abc import Collection, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CommandArgument:
    """What a field of the form gives a command: `before` and its value, quoted; `otherwise` while it is empty.

    `value`: what stands in the field when the page comes.
    """

    field: str
    value: str = ""
    before: str = ""
    otherwise: str = ""

    def text_of(self, value: str) -> str:
        value = value.strip()
        return f"{self.before}{shlex.quote(value)}" if value else self.otherwise

    def __str__(self) -> str:
        return self.text_of(self.value)


@dataclass(frozen=True, slots=True)
class Command:
    """`text`, and `rest` behind it.

    `ticks`: of each of these sets one value must be ticked in the form, or the button doesn't do this either.
    `unless`: of these none.
    """

    text: str
    ticks: tuple[frozenset[str], ...] = ()
    unless: frozenset[str] = frozenset()
    rest: tuple[str | CommandArgument, ...] = ()

    def counts(self, ticked: Collection[str]) -> bool:
        return self.unless.isdisjoint(ticked) and all(not values.isdisjoint(ticked) for values in self.ticks)

    def text_of(self, typed: Mapping[str, str] | None = None) -> str:
        """`typed`: name → value of the form's fields; those that it doesn't name are as the page comes."""
        values = typed or {}
        parts = (
            part if isinstance(part, str) else part.text_of(values.get(part.field, part.value)) for part in self.rest
        )
        return "".join((self.text, *parts))

    @property
    def ticks_json(self) -> str:
        """For the page's script; '' for what always counts."""
        return json.dumps([sorted(values) for values in self.ticks]) if self.ticks else ""

    @property
    def unless_json(self) -> str:
        return json.dumps(sorted(self.unless)) if self.unless else ""


@dataclass(frozen=True, slots=True)
class Commands:
    """In the order in which the button acts. `ticked`: the values that are ticked when the page comes."""

    commands: tuple[Command, ...]
    ticked: frozenset[str] = frozenset()

    def text(self, ticked: Collection[str], typed: Mapping[str, str] | None = None) -> str:
        """A block for a shell."""
        return "\n".join(command.text_of(typed) for command in self.commands if command.counts(ticked))

    @property
    def shown(self) -> tuple[tuple[Command, bool], ...]:
        """Each command, and whether it counts when the page comes."""
        return tuple((command, command.counts(self.ticked)) for command in self.commands)

    def __str__(self) -> str:
        return self.text(self.ticked)
