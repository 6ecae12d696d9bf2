"""What the API server and its schema say of a field, in plain words of the reader's language.

One table for both sides: the form's page carries it for its own check (static/js/form/limits.js), so a mistake has the
same words in the browser and on the server. A sentence that isn't in the table stays as it is, without "Invalid
value: …" before it.
"""

import json
import re
from functools import lru_cache

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

_ABOUT = r"^(?:Invalid value: .*: )?\S+ in body "
#: Worded so that a limit of one needs no singular: the page's script fills the number in.
_TOO_SHORT = gettext_lazy("Too short: the minimum length is %(limit)s.")
_TOO_LONG = gettext_lazy("Too long: the maximum length is %(limit)s.")
_TOO_FEW = gettext_lazy("Too few items: the minimum is %(limit)s.")
_NAME = gettext_lazy("Use lowercase letters, digits and “-”; begin and end with a letter or digit.")
_LABEL = r"\^\[a-z0-9\]\(\[-a-z0-9\]\*\[a-z0-9\]\)\?"
#: Sentences of k8s.io/apimachinery (field errors), kube-openapi (validation) and structured-merge-diff, as both Python
#: and JavaScript read them, and what to say. The first that matches holds.
_RULES = (
    (r"^Required value(?:: ?)?$", gettext_lazy("This field is required.")),
    (_ABOUT + r"is required$", gettext_lazy("This field is required.")),
    (_ABOUT + r"should be greater than or equal to (?P<limit>\S+)$", gettext_lazy("Must be at least %(limit)s.")),
    (_ABOUT + r"should be less than or equal to (?P<limit>\S+)$", gettext_lazy("Must be at most %(limit)s.")),
    (_ABOUT + r"should be greater than (?P<limit>\S+)$", gettext_lazy("Must be more than %(limit)s.")),
    (_ABOUT + r"should be less than (?P<limit>\S+)$", gettext_lazy("Must be less than %(limit)s.")),
    (_ABOUT + r"should be a multiple of (?P<limit>\S+)$", gettext_lazy("Must be a multiple of %(limit)s.")),
    (_ABOUT + r"should be at least (?P<limit>\d+) chars long$", _TOO_SHORT),
    (_ABOUT + r"should be at most (?P<limit>\d+) chars long$", _TOO_LONG),
    (r"^Too long: may not be (?:more|longer) than (?P<limit>\d+)(?: bytes?)?$", _TOO_LONG),
    (_ABOUT + rf"should match '{_LABEL}(?:\(\\\.{_LABEL[2:]}\)\*)?\$'$", _NAME),
    (_ABOUT + r"should match '(?P<limit>[^]*)'$", gettext_lazy("Must match %(limit)s.")),
    (_ABOUT + r"should have at least (?P<limit>\d+) items$", _TOO_FEW),
    (
        r"^Too many: .*must have at most (?P<limit>\d+) items?$",
        gettext_lazy("Too many items: the maximum is %(limit)s."),
    ),
    (_ABOUT + r"should have at least (?P<limit>\d+) properties$", _TOO_FEW),
    (_ABOUT + r"must be of type integer: .*$", gettext_lazy("This must be a whole number.")),
    (_ABOUT + r"must be of type number: .*$", gettext_lazy("This must be a number.")),
    (_ABOUT + r"must be of type boolean: .*$", gettext_lazy("Must be true or false.")),
    (_ABOUT + r"must be of type string: .*$", gettext_lazy("Must be a string.")),
    (_ABOUT + r"must be of type array: .*$", gettext_lazy("Must be a list.")),
    (_ABOUT + r"must be of type object: .*$", gettext_lazy("Must be an object with fields.")),
    (
        r"Checked value must be of type integer with format int32 in ",
        gettext_lazy("Must be a whole number between -2147483648 and 2147483647."),
    ),
    (
        r"Checked value must be of type integer with format int64 in ",
        gettext_lazy("Must be a whole number between -9223372036854775808 and 9223372036854775807."),
    ),
    (r"^Unsupported value: .*: supported values: (?P<limit>.*)$", gettext_lazy("Must be one of %(limit)s.")),
    (r"^Duplicate value: (?P<limit>.*)$", gettext_lazy("%(limit)s is already used.")),
    (r'^unknown field "(?P<limit>[^"]*)"$', gettext_lazy("This resource type has no field %(limit)s.")),
    (
        r"^Invalid value: .*a lowercase RFC 1123 (?:subdomain|label) must consist of [^]*$",
        _NAME,
    ),
    (r'^Invalid value: (?:"(?:[^"\\]|\\.)*"|-?[\d.e+]+|true|false|null): (?P<limit>[^]+)$', "%(limit)s"),
)


@lru_cache(maxsize=1)
def _compiled() -> tuple[tuple[re.Pattern[str], object], ...]:
    # "[^]" is JavaScript's word for any letter, line ends too.
    return tuple((re.compile(pattern.replace("[^]", r"[\s\S]")), words) for pattern, words in _RULES)


def plain(message: str) -> str:
    """The message in plain words."""
    for pattern, words in _compiled():
        if found := pattern.search(message):
            return str(words) % {"limit": found.groupdict().get("limit", "")}
    return message


def rules() -> str:
    """The table for the page's script: JSON of [[pattern, words], …]."""
    return json.dumps([[pattern.replace("(?P<", "(?<"), str(words)] for pattern, words in _RULES])


def item(number: int) -> str:
    """An item of a list, counted as its card is: from 1."""
    return _("Item %(n)s") % {"n": number}
