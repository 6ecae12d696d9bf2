"""The last step of an answer: JSON as it was asked for, indented or as YAML."""

from __future__ import annotations

from typing import Any

import msgspec
import yaml

from .http import Request, Response
from .negotiation import wants_yaml

#: Programs that people read the output of.
_BROWSERS = ("curl", "Wget", "Mozilla/5.0")


class _Dumper(yaml.SafeDumper):
    """Writes as sigs.k8s.io/yaml does: sorted keys, long lines whole, texts of several lines as they are."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def render(request: Request, response: Response) -> Response:
    """The same response in the form that the request accepts. Streams, and what isn't JSON, stay as they are."""
    if response.chunks is not None or response.headers.get("content-type") != "application/json" or not response.body:
        return response
    if wants_yaml(request.headers.get("accept", "")):
        response.body = _yaml(msgspec.json.decode(response.body))
        response.headers["content-type"] = "application/yaml"
    elif _pretty(request):
        response.body = msgspec.json.format(response.body, indent=2)
    else:
        response.body += b"\n"
    return response


def _yaml(value: Any) -> bytes:
    text: str = yaml.dump(value, Dumper=_Dumper, default_flow_style=False, allow_unicode=True, width=1 << 30)
    return text.encode()


def _pretty(request: Request) -> bool:
    asked = request.query.get("pretty")
    if asked is not None:
        return asked[0].lower() in ("", "true", "1")
    return request.headers.get("user-agent", "").startswith(_BROWSERS)
