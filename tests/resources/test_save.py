"""Which fields a refusal is about."""

from kube.errors import BadRequest, Invalid, StatusCause
from resources.writing.save import causes_of


def test_the_fields_that_it_names() -> None:
    wrong = StatusCause("spec.size", "FieldValueInvalid", "Invalid value: 9")
    unfinished = StatusCause(
        "<nil>",
        "FieldValueInvalid",
        "Invalid value: null: some validation rules were not checked because the object was invalid; correct the"
        " existing errors",
    )
    assert causes_of(Invalid("no", causes=(wrong, unfinished))) == (wrong,)
    assert causes_of(Invalid("no", causes=(unfinished,))) == (unfinished,)


def test_fields_that_stand_in_the_text_only() -> None:
    found = causes_of(BadRequest('strict decoding error: unknown field "spec.x", duplicate field "spec.y"'))
    assert [(cause.field, cause.message) for cause in found] == [
        ("spec.x", 'unknown field "spec.x"'),
        ("spec.y", 'duplicate field "spec.y"'),
    ]
    assert causes_of(BadRequest("something else")) == ()
