"""A database's status from what is observed: the StatefulSet's numbers and how its Jobs ended. Pure functions."""

from __future__ import annotations

import time

from .database import DATABASE_LABEL, PART_LABEL, Database, Object
from .observation import Fact, Observation
from .versions import refusal

#: Phases in which the operator, or Kubernetes, is at work.
MOVING = ("Pending", "Creating", "Restoring", "Initializing", "Scaling", "Updating", "Upgrading")
#: Phases of which people are warned.
BAD = ("Failed", "Degraded", "Pending")

#: A phase, the reason in one word, and a sentence for people.
Word = tuple[str, str, str]


def phase(db: Database, seen: Observation) -> Word:
    """One word for the state, why it is so, and a sentence for people."""
    if found := _failed(db, seen):
        return found
    if seen.restore.outcome == "Running":
        earlier_failure = f"; the first try failed: {seen.restore.words}" if seen.restore.words else ""
        return "Restoring", "Restoring", f"the Job {db.name}-restore fills the volume{earlier_failure}"
    deployed = seen.release.deployed
    if db.replicas == 0:
        later = "" if deployed == db.version else f"; the upgrade to {db.version} begins when it has Pods again"
        text = f"the database has no Pods, because spec.replicas is 0; its volumes are kept{later}"
        return "Stopped", "Stopped", text
    if deployed != db.version:
        return "Upgrading", "Upgrading", f"preparing the data of version {deployed} for version {db.version}"
    if seen.ready < db.replicas or int(seen.numbers.get("replicas", 0)) > db.replicas:
        return _coming(db, seen)
    if seen.problem:
        return "Degraded", *seen.problem
    if not seen.is_current:
        return "Updating", "Updating", "restarting the Pods one by one with the new configuration"
    if seen.init.outcome != "Complete":
        earlier_failure = f"; the first try failed: {seen.init.words}" if seen.init.words else ""
        return "Initializing", "Initializing", f"running the Job that sets the database up{earlier_failure}"
    return "Ready", "DatabaseReady", f"{seen.ready} of {db.replicas} Pods are ready"


def _failed(db: Database, seen: Observation) -> Word | None:
    """What will not get better by waiting, and what a person can do."""
    if seen.refused:
        return "Failed", *seen.refused
    if seen.restore.outcome == "Failed":
        text = (
            f"the Job {db.name}-restore failed: {seen.restore.words}. Delete the Job to try again, or delete the"
            " database"
        )
        return "Failed", "RestoreFailed", text
    if seen.init.outcome == "Failed":
        text = (
            f"the Job {db.name}-init failed: {seen.init.words}. Correct spec.initScript, or delete the Job to try again"
        )
        return "Failed", "SetUpFailed", text
    release = seen.release
    if release.upgrade.outcome == "Failed":
        text = (
            f"the upgrade to {db.version} failed: {release.upgrade.words}. {release.deployed} runs on; delete the Job"
            " to try again"
        )
        return "Failed", "UpgradeFailed", text
    if release.refused:
        return "Failed", "UpgradeRefused", release.refused
    return None


def _coming(db: Database, seen: Observation) -> Word:
    numbers = f"{seen.ready} of {db.replicas} Pods are ready"
    was_ready = bool(db.status.get("version"))
    if seen.problem:
        reason, message = seen.problem
        return "Degraded" if was_ready else "Pending", reason, f"{numbers}; {message}"
    if not was_ready:
        return "Creating", "Creating", numbers
    settled = db.status.get("observedGeneration") == db.body["metadata"].get("generation")
    if db.status.get("phase") == "Degraded" or (db.status.get("phase") == "Ready" and settled):
        return "Degraded", "PodsNotReady", numbers
    word = "Scaling" if seen.is_current else "Updating"
    return word, word, numbers


def status(db: Database, seen: Observation) -> Object:
    """The status to write, with conditions whose times change only when they do."""
    word, reason, message = phase(db, seen)
    serving = 0 < db.replicas <= seen.ready and seen.init.outcome == "Complete"
    # What failed was a wish; the database itself may do its work as before.
    ready = word == "Ready" or (word == "Failed" and serving)
    idle = ("Settled", "nothing is left to do") if word in ("Ready", "Stopped") else (reason, message)
    counted = f"{seen.ready} of {db.replicas} Pods are ready"
    facts = [
        Fact("Ready", ready, "DatabaseReady" if ready else reason, counted if ready else message),
        Fact("Progressing", word in MOVING, *idle),
        Fact("Initialized", seen.init.outcome == "Complete", _init_reason(seen), _init_message(db, seen)),
        *seen.facts,
    ]
    result: Object = {
        "phase": word,
        "observedGeneration": db.body["metadata"].get("generation", 1),
        "replicas": int(seen.numbers.get("replicas", 0)),
        "readyReplicas": seen.ready,
        "selector": f"{DATABASE_LABEL}={db.name},{PART_LABEL}=engine",
        "endpoint": db.endpoint,
        "conditions": conditions(db, facts),
    }
    # The CRD's rule compares this with spec.version, so it must never be written beside one that it forbids.
    if not refusal(db.engine, seen.release.deployed, db.version):
        result["deployedVersion"] = seen.release.deployed
    if running := seen.running or db.status.get("version"):
        result["version"] = running
    if seen.restore.name:
        result["restoredFrom"] = seen.restore.name
    if seen.backup:
        result["lastBackup"] = seen.backup
    return result


def leaving(db: Database, word: str, reason: str, message: str) -> Object:
    """The status of a database that is being deleted; conditions of other types stay as they are."""
    stays = [
        condition
        for condition in db.status.get("conditions") or []
        if condition["type"] not in ("Ready", "Progressing")
    ]
    moving = word != "Failed"
    facts = [Fact("Ready", False, reason, message), Fact("Progressing", moving, reason, message)]
    return {"phase": word, "conditions": [*conditions(db, facts), *stays]}


def _init_reason(seen: Observation) -> str:
    return {"Complete": "JobComplete", "Failed": "JobFailed"}.get(seen.init.outcome, "JobRunning")


def _init_message(db: Database, seen: Observation) -> str:
    words = {"Complete": "has set the database up", "Failed": f"failed: {seen.init.words}"}
    return f"the Job {db.name}-init {words.get(seen.init.outcome, 'is not done yet')}"


def conditions(db: Database, facts: list[Fact]) -> list[Object]:
    """Facts as Kubernetes writes them; the time is that of the last change of True, False and Unknown."""
    return [_condition(db, fact) for fact in facts]


def _condition(db: Database, fact: Fact) -> Object:
    value = {True: "True", False: "False", None: "Unknown"}[fact.true]
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    for old in db.status.get("conditions") or []:
        if old["type"] == fact.type and old["status"] == value:
            moment = old["lastTransitionTime"]
    return {
        "type": fact.type,
        "status": value,
        "observedGeneration": db.body["metadata"].get("generation", 1),
        "lastTransitionTime": moment,
        "reason": fact.reason,
        "message": fact.message[:2000],
    }
