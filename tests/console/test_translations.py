"""Korean is complete: every text of the code has a translation, with the same placeholders."""

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po
from django.test import Client

ROOT = Path(__file__).resolve().parent.parent.parent
PO = ROOT / "locale/ko/LC_MESSAGES/django.po"
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]")


def texts(path: Path) -> Catalog:
    with path.open("rb") as source:
        return read_po(source, locale="ko")


def forms(value: str | tuple[str, ...]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def test_every_text_is_translated_with_its_placeholders() -> None:
    wrong = []
    for message in texts(PO):
        if not message.id:
            continue
        wanted = set(PLACEHOLDER.findall(forms(message.id)[-1]))
        good = all(found and set(PLACEHOLDER.findall(found)) == wanted for found in forms(message.string))
        if message.fuzzy or not good:
            wrong.append(message.id)
    assert wrong == []


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
    collected = texts(tmp_path / "locale/ko/LC_MESSAGES/django.po")
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
