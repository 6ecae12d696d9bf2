"""The same with kubectl: commands beside a form with checkboxes; those count that do what its button would do."""

import json
from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """`ticks`: of each of these sets one value must be ticked in the form, or the button doesn't do this either."""

    text: str
    ticks: tuple[frozenset[str], ...] = ()

    def counts(self, ticked: Collection[str]) -> bool:
        return all(not values.isdisjoint(ticked) for values in self.ticks)

    @property
    def ticks_json(self) -> str:
        """For the page's script; '' for what always counts."""
        return json.dumps([sorted(values) for values in self.ticks]) if self.ticks else ""


@dataclass(frozen=True, slots=True)
class Commands:
    """In the order in which the button acts. `ticked`: the values that are ticked when the page comes."""

    commands: tuple[Command, ...]
    ticked: frozenset[str] = frozenset()

    def text(self, ticked: Collection[str]) -> str:
        """A block for a shell."""
        return "\n".join(command.text for command in self.commands if command.counts(ticked))

    @property
    def shown(self) -> tuple[tuple[Command, bool], ...]:
        """Each command, and whether it counts when the page comes."""
        return tuple((command, command.counts(self.ticked)) for command in self.commands)

    def __str__(self) -> str:
        return self.text(self.ticked)
