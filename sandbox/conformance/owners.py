"""Who owns what: managedFields in an order that does not depend on the second in which things happened."""

from tests.api import Answer

from .observations import Seen

#: Controllers write their own status meanwhile.
MANAGERS = ("one", "two", "three", "m", "scaler", "operator", "other", "updater")


def owned(seen: Seen, name: str, answer: Answer, *fields: str) -> Answer:
    """Compares what the managers of the tests own, and these fields of the object."""
    body = answer.json
    metadata = body.get("metadata", {})
    found = {field: body[field] for field in ("message", "code", *fields) if field in body}
    found |= {field: metadata[field] for field in ("labels", "finalizers") if field in metadata}
    mine = [entry for entry in metadata.get("managedFields", []) if entry["manager"] in MANAGERS]
    mine.sort(key=lambda entry: (entry["manager"], entry["operation"], entry.get("subresource", "")))
    seen.value(name, {**found, "owners": mine}, only=[*found, "owners"])
    return answer
