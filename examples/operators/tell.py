"""Telling people what happens to an object: an event on it, and a line in the operator's log."""

from __future__ import annotations

import logging
from typing import Protocol, cast

import kopf

from examples.operators.kubeapi import Object


class Tell(Protocol):
    """Records an event on an object; ``type`` is Normal or Warning, ``reason`` one word, ``message`` a sentence."""

    def __call__(self, body: Object, *, type: str, reason: str, message: str) -> None: ...


def teller(log: logging.Logger) -> Tell:
    """By kopf, which sends events in the background and never lets a handler wait for them."""

    def record(body: Object, *, type: str, reason: str, message: str) -> None:
        meta = body["metadata"]
        level = logging.WARNING if type == "Warning" else logging.INFO
        log.log(level, "%s/%s: %s: %s", meta["namespace"], meta["name"], reason, message)
        kopf.event(cast(kopf.Body, body), type=type, reason=reason, message=message)

    return record
