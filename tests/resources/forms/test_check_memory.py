"""Prepared schemas that checks of objects keep in memory."""

from kube import catalog as documents
from resources.forms import errors
from resources.forms.schema import Schema


def test_no_more_schemas_are_kept_prepared_than_the_client_keeps_documents() -> None:
    errors._prepared.cache_clear()
    schemas = [
        Schema.from_document({"type": "object", "description": str(number)})
        for number in range(documents._MAX_SCHEMAS + 3)
    ]
    nodes = [errors.node_of(schema) for schema in schemas]
    assert errors._prepared.cache is not None and len(errors._prepared.cache) == documents._MAX_SCHEMAS
    assert errors.node_of(schemas[-1]) is nodes[-1], "the newest is kept"
    assert errors.node_of(schemas[0]) is not nodes[0], "the oldest is prepared anew"
