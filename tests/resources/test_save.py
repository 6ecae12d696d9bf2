"""Which fields a refusal is about."""

from kube.errors import BadRequest, Invalid, StatusCause
from resources.writing.draft import refusal_causes


def test_the_fields_that_it_names() -> None:
    wrong = StatusCause("spec.size", "FieldValueInvalid", "Invalid value: 9")
    unfinished = StatusCause(
        "<nil>",
        "FieldValueInvalid",
        "Invalid value: null: some validation rules were not checked because the object was invalid; correct the"
        " existing errors",
    )
    assert refusal_causes(Invalid("no", causes=(wrong, unfinished))) == (wrong,)
    assert refusal_causes(Invalid("no", causes=(unfinished,))) == (unfinished,)


def test_fields_that_stand_in_the_text_only() -> None:
    found = refusal_causes(BadRequest('strict decoding error: unknown field "spec.x", duplicate field "spec.y"'))
    assert [(cause.field, cause.message) for cause in found] == [
        ("spec.x", 'unknown field "spec.x"'),
        ("spec.y", 'duplicate field "spec.y"'),
    ]
    assert refusal_causes(BadRequest("something else")) == ()


def test_fields_that_a_refused_patch_names_behind_the_whole_object() -> None:
    whole = '{\\"spec\\":{\\"note\\":\\"unknown field \\\\\\"x\\\\\\"\\"}}'
    text = f'Invalid value: "{whole}": strict decoding error: unknown field "spec.y"'
    found = refusal_causes(Invalid("no", causes=(StatusCause("patch", "FieldValueInvalid", text),)))
    assert [(cause.field, cause.message) for cause in found] == [("spec.y", 'unknown field "spec.y"')]
