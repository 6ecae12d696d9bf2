"""One reason for a refusal, as the details of a ``metav1.Status`` list them."""

from __future__ import annotations

from typing import NamedTuple


class Cause(NamedTuple):
    """One reason within an Invalid answer. ``field`` is a path as the API server writes it: ``spec.items[0].name``."""

    field: str
    reason: str
    message: str
