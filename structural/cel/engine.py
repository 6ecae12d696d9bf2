"""Runs a schema's rules: caches compiled expressions and converts values to CEL."""

from __future__ import annotations

import functools
import logging
from typing import Any

from ..nodes import SchemaNode
from .expressions import Expression, Failed, Malformed, Unsupported, compile_expression, run
from .values import aligned, to_cel

log = logging.getLogger(__name__)

__all__ = ["Failed", "Malformed", "Unsupported", "compiled", "evaluate"]

_LONGEST_MESSAGE = 5 * 1024


@functools.lru_cache(maxsize=4096)
def compiled(source: str, optional: bool) -> Expression | Unsupported:
    """The expression, or the error why there is none (cached as well: compiling costs more than running)."""
    try:
        return compile_expression(source, optional)
    except Malformed as error:
        return Unsupported(str(error))
    except Unsupported as error:
        return error


def evaluate(rule: dict[str, Any], node: SchemaNode, value: Any, old: Any, optional: bool) -> tuple[bool, str | None]:
    """Whether the rule holds, and what its messageExpression says when it does not. Unsupported, Failed."""
    expression = compiled(rule["rule"], optional)
    if isinstance(expression, Unsupported):
        raise expression
    shown = to_cel(node, value)
    before = to_cel(node, aligned(node, old, value)) if old is not None else None
    if run(expression, shown, before, old is not None) is True:
        return True, None
    return False, _message(rule, shown, before, optional)


def _message(rule: dict[str, Any], shown: Any, before: Any, optional: bool) -> str | None:
    """None where the expression fails or says nothing usable: then ``message`` counts."""
    source = rule.get("messageExpression")
    expression = compiled(source, optional) if source else None
    if expression is None or isinstance(expression, Unsupported):
        return None
    try:
        message = run(expression, shown, before, before is not None)
    except (Failed, Unsupported) as error:
        log.debug("messageExpression failed: %s (%s)", source, error)
        return None
    if not isinstance(message, str):
        return None
    message = message.strip()
    return message if message and "\n" not in message and len(message.encode()) <= _LONGEST_MESSAGE else None
