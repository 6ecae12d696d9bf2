"""The language of a page, and the particles in its Korean texts.

The language is the visitor's choice (cookie), else the browser's, else English.

Korean particles (josa) 이/가, 을/를, 은/는, 과/와, 으로/로 are picked by the sound that the word before them ends with.
Translations keep the notation that Korean readers know, after a placeholder: `%(name)s이(가)`, `“%(name)s”을(를)`.
gettext returns such a translation as a `Message`, which resolves the notation when values are filled in. So nothing but
our own translations is ever changed. See docs/decisions/0032-korean-particles.md.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from enum import Enum
from gettext import NullTranslations
from html import unescape
from typing import Self

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.translation import trans_real


def language_of(request: HttpRequest) -> str:
    """A code of LANGUAGES in the settings."""
    chosen = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "")
    if chosen in dict(settings.LANGUAGES):
        return chosen
    return translation.get_language_from_request(request)


class LanguageMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        language = language_of(request)
        with translation.override(language):
            request.LANGUAGE_CODE = language
            response = self.get_response(request)
        response.headers.setdefault("Content-Language", language)
        return response


KOREAN = "ko"


class Sound(Enum):
    """How a word ends when it is read aloud in Korean."""

    VOWEL = "vowel"
    RIEUL = "ㄹ"
    CONSONANT = "consonant"


#: A placeholder, what may close behind it (quotes, brackets, tags), and the notation.
_PLACEHOLDER = re.compile(
    r"(?P<before>(?<!%)%\((?P<name>\w+)\)[sd](?:[”’\"'»)\]]|</\w+>)*)"
    r"(?P<notation>이\(가\)|을\(를\)|은\(는\)|과\(와\)|\(으\)로|\(이\))"
)
#: Notation → after a consonant, after a vowel. Only 으로 treats ㄹ as a vowel.
_PARTICLES = {
    "이(가)": ("이", "가"),
    "을(를)": ("을", "를"),
    "은(는)": ("은", "는"),
    "과(와)": ("과", "와"),
    "(으)로": ("으로", "로"),
    "(이)": ("이", ""),
}

_FIRST_SYLLABLE, _LAST_SYLLABLE, _FINALS, _FINAL_RIEUL = "가", "힣", 28, 8
#: 영, 일, 이, 삼, 사, 오, 육, 칠, 팔, 구; numbers that end in 0 end in 십, 백, 천 or 만: a consonant as 영.
_DIGITS = dict(zip("0123456789", "영일이삼사오육칠팔구", strict=True))
#: Names of letters that end in a consonant: 엘, 엠, 엔, 알.
_LETTERS = {"l": Sound.RIEUL, "m": Sound.CONSONANT, "n": Sound.CONSONANT, "r": Sound.RIEUL}
#: Spelling of an English word's end → sound, as Korean writes such words; the first that fits.
#: What fits none ends in a vowel: 파드, 리스트, 인그레스.
_ENDINGS = re.compile(
    r"(?P<VOWEL>hub|theme)$"  # 허브, 테마
    r"|(?P<RIEUL>l|le)$"  # 컨트롤, 롤
    r"|(?P<CONSONANT>template|type"  # 템플릿, 타입
    r"|m|n|ng|me|ne"  # 헬름, 플랜, 바인딩, 볼륨, 머신
    r"|ck|pp|mb|ook|oup|eep|out"  # 스택, 앱, 훅, 그룹, 슬립, 롤아웃
    r"|(?<![aeou])[aeiouy][bckpt])$"  # 잡, 스펙, 맵, 시크릿; not 루트, 피크
)
_LONGEST_ENDING = len("template")

_TAG = re.compile(r"<[^<>]*>")
_PARENTHESIS = re.compile(r"(?<=\S)\s*\([^()]*\)\W*$")
#: The last part of a camel-case name, of the text read backwards: a search from the front takes ten times as long.
#: Up to four capitals are an acronym, but not in a variable's name: `AUTH_FILE`.
_LAST_WORD_BACKWARDS = re.compile(r"(?P<capitals>[A-Z]{1,4})(?![A-Z_])|[A-Z]+|[a-z]+[A-Z]?")
_VOWEL = re.compile("[aeiouy]")
#: Enough for the last word, and for the markup around it; values can be long.
_TAIL, _MARKUP_TAIL = 100, 500


def sound_of(word: str) -> Sound | None:
    """The sound that `word` ends with; None if no reading is known (another script, no letter at all).

    Quotes and punctuation at the end, and a last part in parentheses, are not read: “Argo CD (tutorial)” ends as 디.
    """
    text = word[-_TAIL:]
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    if text and not text[-1].isalnum():
        text = _PARENTHESIS.sub("", text.rstrip())
        if text.endswith("%"):
            return Sound.VOWEL  # 퍼센트
        while text and not text[-1].isalnum():
            text = text[:-1]
    if not text:
        return None
    letter = _DIGITS.get(text[-1], text[-1])
    if _FIRST_SYLLABLE <= letter <= _LAST_SYLLABLE:
        final = (ord(letter) - ord(_FIRST_SYLLABLE)) % _FINALS
        return Sound.VOWEL if final == 0 else Sound.RIEUL if final == _FINAL_RIEUL else Sound.CONSONANT
    latin = _LAST_WORD_BACKWARDS.match(text[::-1])
    return _sound_of_latin(latin.group()[::-1], is_acronym=latin["capitals"] is not None) if latin else None


def _sound_of_latin(word: str, *, is_acronym: bool) -> Sound:
    """Acronyms, single letters and words without vowels are spelled letter by letter."""
    lower = word.lower()
    if is_acronym or len(word) == 1 or not _VOWEL.search(lower):
        return _LETTERS.get(lower[-1], Sound.VOWEL)
    ending = _ENDINGS.search(lower[-_LONGEST_ENDING - 1 :])
    return Sound[ending.lastgroup or ""] if ending else Sound.VOWEL


def particle(word: str, notation: str) -> str:
    """The particle of `notation`, such as "이(가)", after `word`; the notation itself if the sound isn't known."""
    sound = sound_of(word)
    if sound is None:
        return notation
    after_consonant, after_vowel = _PARTICLES[notation]
    is_consonant = sound is Sound.CONSONANT or (sound is Sound.RIEUL and notation != "(으)로")
    return after_consonant if is_consonant else after_vowel


class Message(str):
    """A translation with particles to choose; `%` chooses them and returns a plain string."""

    __slots__ = ("_particles", "_template")
    #: A placeholder for each particle → the placeholder of its word, and the notation.
    _particles: dict[str, tuple[str, str]]
    _template: str

    # Not __init__: `str(message)` would call it again, with what it was given.
    def __new__(cls, translation: str) -> Self:
        message = super().__new__(cls, translation)
        message._particles = {}
        message._template = _PLACEHOLDER.sub(message._placeholder_of, translation)
        return message

    def _placeholder_of(self, match: re.Match[str]) -> str:
        key = f"{match['name']} {len(self._particles)}"
        self._particles[key] = match["name"], match["notation"]
        return f"{match['before']}%({key})s"

    def __str__(self) -> str:
        return self

    def __mod__(self, values: object) -> str:
        if not isinstance(values, Mapping):
            return super().__mod__(values)
        # A KeyError is what `%` itself would raise; blocktranslate relies on it.
        chosen = {key: _particle_after(values[name], notation) for key, (name, notation) in self._particles.items()}
        return self._template % {**values, **chosen}


def _particle_after(value: object, notation: str) -> str:
    """`value`: text or markup, as it is filled in."""
    word = str(value)[-_MARKUP_TAIL:]
    if "<" in word or "&" in word:
        word = unescape(_TAG.sub("", word))
    return particle(word, notation)


def with_particles(translation: str) -> str:
    """`translation`, as a `Message` if it has particles to choose."""
    return Message(translation) if _PLACEHOLDER.search(translation) else translation


class Translation(trans_real.DjangoTranslation):
    """Django's catalogue of one language, whose Korean messages choose their particles."""

    def merge(self, other: NullTranslations) -> None:
        # As in Django's own merge: a file that doesn't exist has no catalogue.
        catalog: dict[object, str] | None = getattr(other, "_catalog", None)
        if catalog and self.language() == KOREAN:
            other._catalog = {key: with_particles(text) for key, text in catalog.items()}  # type: ignore[attr-defined]
        super().merge(other)


def install_particles() -> None:
    """Makes Django load catalogues as `Translation`. Called before the first text is translated."""
    trans_real.DjangoTranslation = Translation  # type: ignore[misc]
