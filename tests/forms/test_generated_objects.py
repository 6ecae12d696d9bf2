"""Objects made up for each schema (null, empty, zero, unicode, huge numbers, deep maps, odd keys, wrong types)
survive their form.
"""

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from resources.forms.schema import Schema
from tests.forms import measure
from tests.forms.generate import Generator
from tests.forms.page import Form
from tests.forms.test_examples import FORMS

NONE = next(iter(FORMS.values()))
SCHEMAS = FORMS | {
    "no schema": Form(NONE.type, Schema.from_document(None), NONE.offer),
    "an empty schema": Form(NONE.type, Schema.from_document({}), NONE.offer),
    "not structural": Form(
        NONE.type,
        Schema.from_document(
            {
                "type": "object",
                "properties": {"spec": {"oneOf": [{"type": "string"}, {"type": "array"}, {"$ref": "#/nowhere"}]}},
            }
        ),
        NONE.offer,
    ),
}


@pytest.mark.parametrize("name", SCHEMAS)
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(rnd=st.randoms(use_true_random=False))
def test_it_comes_back_equal(name: str, rnd: Random) -> None:
    form = SCHEMAS[name]
    obj = Generator(form.schema, rnd, budget=30).object(form.begin(None))
    assert measure.unchanged(form, obj) == ""
