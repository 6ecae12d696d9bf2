"""Bodies of /api/: JSON that is too deep is answered 400, as any other that can't be read."""

import codecs
from typing import Any

from django.conf import settings
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser
from rest_framework.settings import api_settings
from rest_framework.utils import json

from untrusted import json_bounds


class BoundedJSONParser(JSONParser):
    """DRF's, within the console's limit of levels."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        encoding = (parser_context or {}).get("encoding", settings.DEFAULT_CHARSET)
        strict = json.strict_constant if self.strict and api_settings.STRICT_JSON else None
        try:
            return json_bounds.loads(codecs.getreader(encoding)(stream).read(), parse_constant=strict)
        except ValueError as error:
            raise ParseError(f"JSON parse error - {error}") from error
