"""Kubernetes Events of the operators: an Event on an object, and a line in the log."""

from __future__ import annotations

import logging
from typing import Protocol, cast

import kopf

from examples.operators.kubeapi import Object


class EventRecorder(Protocol):
    """Records an event on an object; ``type`` is Normal or Warning, ``reason`` one word, ``message`` a sentence."""

    def __call__(self, body: Object, *, type: str, reason: str, message: str) -> None: ...


def event_recorder(log: logging.Logger) -> EventRecorder:
    """A recorder that uses kopf, which sends Events in the background, so that handlers do not wait."""

    def record(body: Object, *, type: str, reason: str, message: str) -> None:
        meta = body["metadata"]
        level = logging.WARNING if type == "Warning" else logging.INFO
        log.log(level, "%s/%s: %s: %s", meta["namespace"], meta["name"], reason, message)
        kopf.event(cast(kopf.Body, body), type=type, reason=reason, message=message)

    return record
