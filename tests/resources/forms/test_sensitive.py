"""F19: what is a secret by its name is masked, in forms and on an object's page; placeholders in help texts stay."""

import pytest
from django.utils.html import conditional_escape

from resources.forms.paths import Path
from resources.forms.widgets import is_sensitive, widget
from resources.page import values
from resources.templatetags import forms


@pytest.mark.parametrize(
    "name",
    [
        "password",
        "adminPassword",
        "root_password",
        "keyPassphrase",
        "secretKey",
        "token",
        "authToken",
        "api_key",
        "clientSecret",
    ],
)
def test_f19_secrets_by_their_names_are_masked(name: str) -> None:
    assert widget("string", {"type": "string"}, None, ("spec", name), "").name == "password"


@pytest.mark.parametrize(
    "path",
    [
        ("secretName",),
        ("tokenSecretRef",),
        ("tokenSecretRef", "key"),
        ("passwordSecret",),
        ("passwordSecretKey",),
        ("passwordRef", "token"),
        ("passwordKey",),
        ("passwordPolicy",),
        ("tokenPath",),
        ("nextToken",),
        ("tokenTTL",),
        (),
    ],
)
def test_f19_references_are_not(path: Path) -> None:
    assert not is_sensitive(("spec", *path))


@pytest.mark.parametrize(
    "words", ["The name of the Secret.", "Key in the secret with the password.", "A Secret containing it."]
)
def test_f19_descriptions_tell_references(words: str) -> None:
    assert not is_sensitive(("spec", "secretKey"), words)


def test_f19_an_object_s_page_masks_them_too() -> None:
    (spec,) = values.sections({"spec": {"adminPassword": "hush", "secretName": "name", "token": ""}})
    assert {child.name: child.secret for child in spec.children} == {
        "adminPassword": True,
        "secretName": False,
        "token": False,
    }
    assert spec.children[0].text == "hush", "in dots until it is revealed"


@pytest.mark.parametrize(
    ("description", "placeholder"),
    [
        ("In the form of <user>:<password>,<host>:<port>. " + "More of it. " * 40, "<user>:<password>,<host>:<port>"),
        ("Such as `<name>-<namespace>` *now*. " + "More of it. " * 40, "<name>-<namespace>"),
    ],
)
def test_f19_placeholders_stay_in_folded_help(description: str, placeholder: str) -> None:
    assert placeholder in forms.line(description)
    shown, _ = forms.folded(description)
    assert str(conditional_escape(placeholder)) in shown
