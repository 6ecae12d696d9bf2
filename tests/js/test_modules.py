from tests.js import forms


def test_x() -> None:
    forms.write()
