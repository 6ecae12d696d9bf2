"""A database's status from what is observed: the StatefulSet's numbers and how its Jobs ended. Pure functions."""

from __future__ import annotations

import time
from dataclasses import dataclass

from .database import DATABASE_LABEL, PART_LABEL, Database, Object


@dataclass(frozen=True, slots=True)
class Observed:
    """What the operator sees of a database: its StatefulSet, and the outcome of its Jobs ('' while they run)."""

    stateful_set: Object | None
    init: str
    upgrade: str
    deployed: str
    running: str

    @property
    def numbers(self) -> Object:
        return dict((self.stateful_set or {}).get("status") or {})

    @property
    def ready(self) -> int:
        return int(self.numbers.get("readyReplicas", 0))

    @property
    def is_current(self) -> bool:
        """Whether the StatefulSet's controller has seen its newest spec and every Pod runs it."""
        if not self.stateful_set:
            return False
        seen = self.numbers.get("observedGeneration", 0) >= self.stateful_set["metadata"].get("generation", 0)
        revision = self.numbers.get("updateRevision")
        return seen and (not revision or self.numbers.get("currentRevision", revision) == revision)


def phase(db: Database, seen: Observed) -> tuple[str, str]:
    """One word for the state, and a sentence for people."""
    if seen.init == "Failed":
        return "Failed", f"the Job {db.name}-init failed: read its log, correct spec.initScript and delete the Job"
    if seen.upgrade == "Failed":
        return "Failed", f"the upgrade to {db.version} failed: read the log of the upgrade Job; {seen.deployed} runs on"
    if seen.deployed != db.version:
        return "Upgrading", f"preparing the data of version {seen.deployed} for version {db.version}"
    if db.replicas == 0:
        return "Stopped", "the database has no Pods, because spec.replicas is 0; its volumes are kept"
    was_ready = bool(db.status.get("version"))
    if seen.ready < db.replicas or int(seen.numbers.get("replicas", 0)) > db.replicas:
        return _coming(db, seen, was_ready)
    if not seen.is_current:
        return "Updating", "restarting the Pods one by one with the new configuration"
    if seen.init != "Complete":
        return "Initializing", "running the Job that sets the database up"
    return "Ready", f"{seen.ready} of {db.replicas} Pods are ready"


def _coming(db: Database, seen: Observed, was_ready: bool) -> tuple[str, str]:
    numbers = f"{seen.ready} of {db.replicas} Pods are ready"
    if not was_ready:
        return "Creating", numbers
    if db.status.get("phase") == "Ready" and db.status.get("observedGeneration") == db.body["metadata"].get(
        "generation"
    ):
        return "Degraded", numbers
    if db.status.get("phase") == "Degraded":
        return "Degraded", numbers
    return ("Scaling" if seen.is_current else "Updating"), numbers


def status(db: Database, seen: Observed) -> Object:
    """The status to write, with conditions whose times change only when they do."""
    word, message = phase(db, seen)
    ready = word == "Ready"
    moving = word in ("Creating", "Initializing", "Scaling", "Updating", "Upgrading")
    running = seen.running or db.status.get("version") or ""
    generation = db.body["metadata"].get("generation", 1)
    found = [
        ("Ready", ready, word if word != "Ready" else "DatabaseReady", message),
        ("Progressing", moving, word if moving else "Settled", message if moving else "nothing is left to do"),
        ("Initialized", seen.init == "Complete", _init_reason(seen), _init_message(db, seen)),
    ]
    selector = f"{DATABASE_LABEL}={db.name},{PART_LABEL}=engine"
    result: Object = {
        "phase": word,
        "observedGeneration": generation,
        "replicas": int(seen.numbers.get("replicas", 0)),
        "readyReplicas": seen.ready,
        "selector": selector,
        "endpoint": db.endpoint,
        "conditions": [_condition(db, generation, *facts) for facts in found],
    }
    if running:
        result["version"] = running
    return result


def _init_reason(seen: Observed) -> str:
    return {"Complete": "JobComplete", "Failed": "JobFailed"}.get(seen.init, "JobRunning")


def _init_message(db: Database, seen: Observed) -> str:
    words = {"Complete": "has set the database up", "Failed": "failed; its log says why"}
    return f"the Job {db.name}-init {words.get(seen.init, 'is running')}"


def _condition(db: Database, generation: int, type_: str, true: bool, reason: str, message: str) -> Object:
    value = "True" if true else "False"
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    for old in db.status.get("conditions") or []:
        if old["type"] == type_ and old["status"] == value:
            moment = old["lastTransitionTime"]
    return {
        "type": type_,
        "status": value,
        "observedGeneration": generation,
        "lastTransitionTime": moment,
        "reason": reason,
        "message": message,
    }
