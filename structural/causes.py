"""Reasons for a refusal: as the details of a ``metav1.Status`` list them, and as Go's decoder gives them in its
text.
"""

from __future__ import annotations

from typing import NamedTuple


class FieldCause(NamedTuple):
    """One reason within an Invalid answer. ``field`` is a path as the API server writes it: ``spec.items[0].name``."""

    field: str
    reason: str
    message: str


Place = tuple[str | int, ...]


class Fault(NamedTuple):
    """The decoder's error for a value. ``place``: names of fields, keys of maps, indexes of lists."""

    place: Place
    text: str
