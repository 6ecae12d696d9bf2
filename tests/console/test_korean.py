"""Korean particles: after each word the one that its last sound asks for, and nothing but our own words is changed."""

import json
import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from django.template import Context, Template
from django.test import Client
from django.utils import translation
from django.utils.html import format_html
from django.utils.translation import gettext, gettext_lazy, trans_real

from console.web.language import Message, Translation, particle, with_particles
from kube.discovery import ResourceType
from kube.reader import read
from kube.types.meta import ObjectMeta
from resources.changes import Change
from resources.lists.listing import row_html
from resources.state.health import terminating

PO = Path(__file__).resolve().parents[2] / "locale/ko/LC_MESSAGES/django.po"
CREATED = "Namespace “%(name)s” created."
NOTATION = re.compile(r"[이은을]\([가는를]\)|[가는를]\([이은을]\)|과\(와\)|와\(과\)|\(으\)로|\(이\)")


@pytest.mark.parametrize(
    ("word", "subject", "instrument"),
    [
        # Hangul: without a final consonant, with ㄹ, with another one.
        ("파드", "가", "로"),
        ("롤", "이", "로"),
        ("볼륨", "이", "으로"),
        # Digits by their Korean names: 영 일 이 삼 사 오 육 칠 팔 구, 십.
        *[(f"web-{digit}", "이" if digit in "013678" else "가", "") for digit in "0123456789"],
        ("1", "이", "로"),
        ("3", "이", "으로"),
        ("7", "이", "로"),
        ("10", "이", "으로"),
        ("1.4.2", "가", "로"),
        # Acronyms and single letters by the name of the last letter.
        ("OLM", "이", "으로"),
        ("CSV", "가", "로"),
        ("ArgoCD", "가", "로"),
        ("URL", "이", "로"),
        ("team-r", "이", "로"),
        ("team-b", "가", "로"),
        ("svc", "가", "로"),
        # Words by their pronunciation.
        ("Pod", "가", "로"),
        ("Deployment", "가", "로"),
        ("Ingress", "가", "로"),
        ("Service", "가", "로"),
        ("Role", "이", "로"),
        ("Secret", "이", "으로"),
        ("CronJob", "이", "으로"),
        ("ConfigMap", "이", "으로"),
        ("StatefulSet", "이", "으로"),
        ("InstallPlan", "이", "으로"),
        ("RoleBinding", "이", "으로"),
        ("PersistentVolume", "이", "으로"),
        ("OperatorGroup", "이", "으로"),
        ("Webhook", "이", "으로"),
        ("Template", "이", "으로"),
        ("GitHub", "가", "로"),
        ("Root", "가", "로"),
        ("kube-system", "이", "으로"),
        ("OIDC_CLIENT_SECRET", "이", "으로"),
        # What is not read aloud.
        ("“파드”", "가", "로"),
        ("Argo CD (tutorial)", "가", "로"),
        ("볼륨(PVC)", "이", "으로"),
        ("완료.", "가", "로"),
        ("50%", "가", "로"),
        ("\u1111\u1161\u1103\u1173", "가", "로"),  # decomposed
        # Without a known reading both are shown.
        ("кластер", "이(가)", "(으)로"),
        ("…", "이(가)", "(으)로"),
        ("", "이(가)", "(으)로"),
    ],
)
def test_a_particle_follows_the_last_sound(word: str, subject: str, instrument: str) -> None:
    assert particle(word, "이(가)") == subject
    if instrument:
        assert particle(word, "(으)로") == instrument


@pytest.mark.parametrize(
    ("notation", "after_vowel", "after_consonant", "after_rieul"),
    [
        ("이(가)", "가", "이", "이"),
        ("을(를)", "를", "을", "을"),
        ("은(는)", "는", "은", "은"),
        ("과(와)", "와", "과", "과"),
        ("(으)로", "로", "으로", "로"),
        ("(이)", "", "이", "이"),
    ],
)
def test_the_pairs(notation: str, after_vowel: str, after_consonant: str, after_rieul: str) -> None:
    assert [particle(word, notation) for word in ("파드", "볼륨", "롤")] == [after_vowel, after_consonant, after_rieul]


def test_values_are_never_changed() -> None:
    """What a user wrote may itself have the notation, or look like a placeholder."""
    message = with_particles("“%(name)s”을(를) %(kind)s(으)로 저장했습니다. %(name)s은(는) 100%%입니다.")
    assert message % {"name": "%(kind)s이(가)", "kind": "롤"} == (
        "“%(kind)s이(가)”를 롤로 저장했습니다. %(kind)s이(가)는 100%입니다."
    )
    assert type(message % {"name": "a", "kind": "b"}) is str
    assert with_particles("“%%(name)s이(가)”") == "“%%(name)s이(가)”"


def test_a_text_without_particles_stays_a_plain_string() -> None:
    """Encoders accept no subclasses of str."""
    assert type(with_particles("%(name)s 네임스페이스")) is str
    assert type(str(with_particles("%(name)s을(를)"))) is Message
    with pytest.raises(KeyError):
        with_particles("%(name)s을(를)") % {}


def test_every_way_to_fill_in_a_text() -> None:
    lazy = gettext_lazy(CREATED)
    template = Template("{% load i18n %}{% blocktranslate %}Namespace “{{ name }}” created.{% endblocktranslate %}")
    with translation.override("ko"):
        for name, particle_ in (("shop", "을"), ("database", "를"), ("상점", "을"), ("web-2", "를"), ("web-3", "을")):
            expected = f"네임스페이스 “{name}”{particle_} 만들었습니다."
            assert gettext(CREATED) % {"name": name} == expected
            assert lazy % {"name": name} == expected
            assert str(lazy) % {"name": name} == expected
            assert template.render(Context({"name": name})) == expected
            marked = format_html("<strong>{}</strong>", name)
            assert f"</strong>”{particle_} " in template.render(Context({"name": marked}))
        # Escaped in the page, read as it is shown: the last letter is that of “b”.
        assert "b&gt;&#x27;”를 " in template.render(Context({"name": "<b>'"}))
    with translation.override("en"):
        assert gettext(CREATED) % {"name": "shop"} == "Namespace “shop” created."


def test_every_notation_of_the_translations_is_resolved() -> None:
    """One that stands elsewhere than right behind a placeholder would be shown as it is; and a placeholder with one
    fixed particle behind it is right for half of the words.
    """
    fixed = re.compile(r"%\(\w+\)[sd][”’]?(?:이|가|을|를|은|는|과|와|으로|로)(?=[\s.,:)]|$)")
    with PO.open("rb") as source:
        texts = [
            text
            for message in read_po(source, locale="ko")
            for text in ([message.string] if isinstance(message.string, str) else message.string or ())
        ]
    values = dict.fromkeys(re.findall(r"%\((\w+)\)s", "".join(texts)), "롤")
    numbers = dict.fromkeys(re.findall(r"%\((\w+)\)d", "".join(texts)), 3)
    assert sum(isinstance(with_particles(text), Message) for text in texts) > 200
    left = [
        text
        for text in texts
        if NOTATION.search(with_particles(text) % {**values, **numbers} if "%(" in text else text)
    ]
    assert left == []
    assert [text for text in texts if fixed.search(text)] == []


def test_django_loads_our_catalogue() -> None:
    assert isinstance(trans_real.translation("ko"), Translation)


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "subject"), [("xlsx", "는"), ("한글", "은"), ("csv2", "는"), ("csv3", "은")])
def test_a_page(cluster_kubeconfig: Path, redis_server: str, name: str, subject: str) -> None:
    address = "/resources/core/v1/pods/download/"
    page = Client().get(address, {"format": name}, headers={"Accept-Language": "ko"}).content.decode()
    assert f"형식 “{name}”{subject} 없습니다." in page


def test_a_streamed_row() -> None:
    """The state in a row is worded by the worker, in each language."""
    pods = ResourceType(group="", version="v1", plural="pods", kind="Pod", namespaced=True)
    columns = json.dumps([{"name": "Name", "type": "string", "format": "name"}]).encode()
    for finalizer, particle_ in (("example.com/backup", "을"), ("example.com/cleanup-2", "를")):
        metadata = {
            "name": "web-0",
            "namespace": "shop",
            "uid": "u-1",
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "deletionTimestamp": "2026-01-02T00:00:00Z",
            "finalizers": [finalizer],
        }
        with translation.override("ko"):
            health = terminating(read(metadata, ObjectMeta))
        assert health is not None
        row = {"cells": ["web-0"], "object": {"metadata": metadata}, "health": {"ko": [health.state, health.reason]}}
        change = Change(
            kind="MODIFIED", uid="u-1", name="web-0", namespace="shop", row=json.dumps(row).encode(), columns="c"
        )
        assert f"{finalizer}{particle_} 기다리는 중" in row_html(
            pods, "here/core/v1/pods/shop?state", columns, change, "ko"
        )
