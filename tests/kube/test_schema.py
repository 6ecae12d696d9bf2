"""Schemas out of OpenAPI documents."""

from kube.discovery import ResourceType
from kube.schema import pick

THING = ResourceType("example.com", "v1", "things", "Thing", True)


def test_a_document_of_a_group_that_just_went_is_empty() -> None:
    """What kube-apiserver 1.36.3 answers: 200, and not a byte."""
    assert pick(b"", THING) is None
    assert pick(b"{}", THING) is None
