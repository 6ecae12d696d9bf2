"""Korean is complete. Another language can lack texts, which are then shown in English, but only a few. No translation
loses a placeholder or markup.
"""

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po
from django.conf import settings
from django.test import Client
from django.utils import translation
from django.utils.translation import to_locale

ROOT = Path(__file__).resolve().parent.parent.parent
OTHERS = [(code, to_locale(code)) for code, _name in settings.LANGUAGES if code not in ("en", "ko")]
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]")
MARKUP = re.compile(r"</?[a-z][^<>]*>")
#: With fewer of its texts a language isn't worth offering.
MIN_TRANSLATED = 0.9


def texts(locale: str, root: Path = ROOT) -> Catalog:
    with (root / f"locale/{locale}/LC_MESSAGES/django.po").open("rb") as source:
        return read_po(source, locale=locale)


def forms(value: str | tuple[str, ...]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def is_good(message: Message) -> bool:
    """Whether a translation is there, with the placeholders and the markup of the text."""
    text = forms(message.id)[-1]
    placeholders, markup = set(PLACEHOLDER.findall(text)), sorted(MARKUP.findall(text))
    return all(
        found and set(PLACEHOLDER.findall(found)) == placeholders and sorted(MARKUP.findall(found)) == markup
        for found in forms(message.string)
    )


def test_every_text_is_translated_with_its_placeholders() -> None:
    assert [m.id for m in texts("ko") if m.id and (m.fuzzy or not is_good(m))] == []


@pytest.mark.parametrize(("code", "locale"), OTHERS)
def test_another_language_loses_nothing(code: str, locale: str) -> None:
    # What is fuzzy isn't compiled.
    found = [message for message in texts(locale) if message.id and any(forms(message.string)) and not message.fuzzy]
    assert [message.id for message in found if not is_good(message)] == []
    known = {(message.context, message.id) for message in texts("ko") if message.id}
    translated = known & {(message.context, message.id) for message in found}
    assert len(translated) >= MIN_TRANSLATED * len(known)
    with translation.override(code):
        assert translation.gettext("Installed operators") != "Installed operators"
        assert translation.gettext("a text that no language has") == "a text that no language has"


def test_no_text_stands_in_an_f_string() -> None:
    """xgettext 0.21 doesn't read inside of f-strings: such a text is in no catalog, and stays English."""
    found = [
        f"{path.relative_to(ROOT)}:{text.lineno}"
        for package in ("console", "kube", "operatorhub", "resources")
        for path in sorted((ROOT / package).rglob("*.py"))
        for text in ast.walk(ast.parse(path.read_text()))
        if isinstance(text, ast.JoinedStr)
        if any(isinstance(call, ast.Call) and _is_gettext(call.func) for call in ast.walk(text))
    ]
    assert found == []


def _is_gettext(function: ast.expr) -> bool:
    return isinstance(function, ast.Name) and (function.id == "_" or "gettext" in function.id)


def test_no_text_of_the_code_is_missing(tmp_path: Path) -> None:
    if shutil.which("xgettext") is None:
        pytest.skip("needs GNU gettext: xgettext on PATH")
    # A copy, since the command writes beside the sources.
    for folder in ("console", "operatorhub", "resources", "templates", "kube", "structural", "untrusted", "locale"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    shutil.copy(ROOT / "manage.py", tmp_path)
    command = [sys.executable, "manage.py", "makemessages", "-l", "ko", "--no-location", "--no-wrap"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    collected = texts("ko", tmp_path)
    untranslated = [
        message.id for message in collected if message.id and (message.fuzzy or not all(forms(message.string)))
    ]
    assert untranslated == [], "run `make messages` and translate what is new"


@pytest.mark.django_db
def test_a_korean_page_has_korean_navigation(cluster_kubeconfig: Path, redis_server: str) -> None:
    page = Client().get("/", headers={"Accept-Language": "ko"}).content.decode()
    main = re.sub(r"<[^>]+>", " ", page)
    for word in ("개요", "설치된 오퍼레이터", "네임스페이스", "시작하기"):
        assert word in main
    for word in ("Overview", "Installed", "Getting started", "All types"):
        assert word not in main
