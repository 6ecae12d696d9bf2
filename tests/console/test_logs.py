"""Lines of the log: for people, or as JSON for programs."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.attacks.texts import FREE

ROOT = Path(__file__).resolve().parent.parent.parent
SPEAK = """
import logging, django
django.setup()
log = logging.getLogger("resources.watch.hub")
log.info("watching %s", "pods", extra={"topic": "here/core/v1/pods/-", "topics": 3, "hub": Exception("x")})
try:
    1 / 0
except ZeroDivisionError:
    log.exception("it\\nfailed")
logging.getLogger("uvicorn.error").warning("from below")
"""


def _lines(speak: str = SPEAK, **environment: str) -> list[str]:
    result = subprocess.run(
        [sys.executable, "-c", speak],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "console.settings", "LOG_LEVEL": "INFO", **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return result.stderr.splitlines()


def test_for_people_the_topic_stands_at_the_end() -> None:
    lines = _lines(LOG_FORMAT="")
    assert lines[0] == "INFO resources.watch.hub: watching pods [here/core/v1/pods/-]"
    assert lines[1:3] == ["ERROR resources.watch.hub: it", "    failed"]
    assert lines[-1] == "WARNING uvicorn.error: from below"


def test_json_is_one_object_a_line() -> None:
    first, second, third = (json.loads(line) for line in _lines(LOG_FORMAT="json"))
    assert first.pop("time").endswith("Z")
    assert first == {
        "level": "INFO",
        "logger": "resources.watch.hub",
        "message": "watching pods",
        "topic": "here/core/v1/pods/-",
        "topics": 3,
        "hub": "x",
    }
    assert second["message"] == "it\nfailed"
    assert "ZeroDivisionError: division by zero" in second["exception"]
    assert (third["logger"], third["message"]) == ("uvicorn.error", "from below")


def test_the_server_keeps_the_level_that_it_was_given() -> None:
    """uvicorn sets its loggers up before it loads the application; ours must not undo that."""
    speak = """
import logging, django, uvicorn
uvicorn.Config("x:y", log_level="warning")
django.setup()
logging.getLogger("uvicorn.error").info("chatter")
logging.getLogger("uvicorn.error").warning("trouble")
"""
    assert _lines(speak) == ["WARNING uvicorn.error: trouble"]


def test_another_format_is_refused_by_name() -> None:
    result = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env={**os.environ, "LOG_FORMAT": "xml"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode != 0
    assert "LOG_FORMAT='xml' is neither line nor json" in result.stderr


def test_nobody_forges_a_line_or_commands_a_terminal() -> None:
    """Names come from addresses and untrusted objects: every attack text, in a message and in an exception."""
    speak = """
import logging, django
django.setup()
from tests.attacks.texts import FREE
for text in FREE:
    logging.getLogger("a").warning("object=%s", text)
    try:
        raise ValueError(text)
    except ValueError:
        logging.getLogger("a").exception("it failed")
"""
    lines = _lines(speak, LOG_FORMAT="")
    begin = [line for line in lines if not line.startswith("    ")]
    assert len(begin) == 2 * len(FREE)
    assert all(line.startswith(("WARNING a: object=", "ERROR a: it failed")) for line in begin)
    assert not any((ord(char) < 32 and char != "\t") or 127 <= ord(char) < 160 for line in lines for char in line)
    assert not any(char in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069" for line in lines for char in line)
    records = [json.loads(line) for line in _lines(speak, LOG_FORMAT="json")]
    assert [item["message"] for item in records[::2]] == [f"object={text}" for text in FREE]
