"""Settings of the provider that cannot be are refused by name, before anything starts."""

from pathlib import Path

import pytest

from console.signin.oidc.options import trouble
from tests.console.test_settings import read

GOOD = {"issuer": "https://id.example.com", "client": "console", "scopes": (), "authority": "", "console": ""}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"issuer": ""}, "needs OIDC_ISSUER"),
        ({"client": ""}, "needs OIDC_CLIENT_ID"),
        ({"issuer": "http://id.example.com"}, "OIDC_ISSUER='http://id.example.com' is not an https:// URL"),
        ({"issuer": "id.example.com"}, "OIDC_ISSUER="),
        ({"issuer": "https://id.example.com/?realm=a"}, "OIDC_ISSUER="),
        ({"issuer": "https://[id.example.com"}, "OIDC_ISSUER="),
        ({"scopes": ("email",)}, "OIDC_SCOPES='email' lacks openid"),
        ({"authority": "/nowhere/ca.crt"}, "OIDC_CA_FILE='/nowhere/ca.crt' can't be used"),
        ({"authority": __file__}, "OIDC_CA_FILE="),
        ({"console": "console.example.com"}, "CONSOLE_URL='console.example.com' is not an address"),
        ({"console": "https://console.example.com/there"}, "CONSOLE_URL="),
    ],
)
def test_a_setting_that_cannot_be_is_named(changed: dict[str, object], words: str) -> None:
    assert words in trouble(**{**GOOD, **changed})  # type: ignore[arg-type]


def test_good_ones_are_taken(tmp_path: Path) -> None:
    assert not trouble(**GOOD)  # type: ignore[arg-type]
    assert not trouble("http://127.0.0.1:5556/dex", "console", ("openid", "email"), "", "http://localhost:9000")


def test_the_console_does_not_start_with_a_bad_one() -> None:
    refused = read(SIGN_IN="oidc, token", OIDC_ISSUER="http://id.example.com", OIDC_CLIENT_ID="console")
    assert refused.returncode != 0 and "OIDC_ISSUER='http://id.example.com' is not an https:// URL" in refused.stderr
    assert "SIGN_IN='local,oidc' is none of" in read(SIGN_IN="local,oidc").stderr
