"""What the API server says to a refused object, one entry for each field it names."""

import re

from kube.errors import BadRequest, KubeError, StatusCause

# Said beside the causes that it is about, of no field.
_UNFINISHED = "some validation rules were not checked because the object was invalid"
_STRICT = re.compile(r'(unknown|duplicate) field "([^"]+)"')


def causes_of(error: KubeError) -> tuple[StatusCause, ...]:
    """`details.causes`, and the fields that fieldValidation=Strict names in its text only. Empty when none is named."""
    if error.causes:
        finished = tuple(cause for cause in error.causes if _UNFINISHED not in cause.message)
        return finished or error.causes
    if isinstance(error, BadRequest):
        return tuple(
            StatusCause(field, "FieldValueInvalid", f'{word} field "{field}"')
            for word, field in _STRICT.findall(str(error))
        )
    return ()
