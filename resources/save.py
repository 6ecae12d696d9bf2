"""What the API server says to a refused object, one entry for each field it names."""

import re

from kube.errors import BadRequest, Cause, KubeError

_STRICT = re.compile(r'(unknown|duplicate) field "([^"]+)"')


def causes_of(error: KubeError) -> tuple[Cause, ...]:
    """`details.causes`, and the fields that fieldValidation=Strict names in its text only. Empty when none is named."""
    if error.causes:
        return error.causes
    if isinstance(error, BadRequest):
        return tuple(
            Cause(field, "FieldValueInvalid", f'{word} field "{field}"') for word, field in _STRICT.findall(str(error))
        )
    return ()
