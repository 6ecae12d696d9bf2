"""Which texts are passwords and tokens themselves, by their names: they are masked although no operator says so.

A wrong guess masks a harmless text until "Show" is pressed. Fields that only name a Secret, or a key in one, are not
masked.
"""

import re

from resources.forms.paths import Path

_NAME = re.compile(
    r"(password|passwd|passphrase|token|apikey|clientsecret|secretaccesskey"
    r"|(?<!password)(?<!token)(?<!config)(?<!cert)(?<!key)secretkey)$"
)
#: Tokens of paging and of optimistic locking.
_NO_SECRET = re.compile(r"(next|continue|page|start|end|client|request|update|version|lock)token$")
_REFERENCE = re.compile(r"(ref|refs|reference|selector)$")
#: Descriptions of what says where a secret is.
_SAYS_WHERE = re.compile(
    r"\b(name|key|reference|path|field)\b[^.]{0,40}\bsecret\b|\bsecret('s)?"
    r" (key|name|reference|that|which|with|containing|in)\b"
    r"|\bpath (to|of)\b|\bname of\b",
    re.I,
)


def is_sensitive(path: Path, description: object = "") -> bool:
    """Whether the text at `path` is a secret itself."""
    names = [re.sub(r"[^a-z0-9]", "", part.lower()) for part in path if isinstance(part, str)]
    if not names or not _NAME.search(names[-1]) or _NO_SECRET.search(names[-1]):
        return False
    if len(names) > 1 and _REFERENCE.search(names[-2]):
        return False
    return not _SAYS_WHERE.search(str(description or "")[:400])
