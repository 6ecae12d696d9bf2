"""Templates name only styles and scripts that exist: nothing else notices until a browser opens the page."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_style_and_script_of_a_template_exists() -> None:
    missing = [
        f"{template.relative_to(ROOT)}: {name}"
        for template in (ROOT / "templates").rglob("*.html")
        for name in re.findall(r"""{% static ["']([^"']+)["'] %}""", template.read_text(encoding="utf-8"))
        if not any((ROOT / folder / name).exists() for folder in ("static", "static/vendor"))
    ]
    assert not missing
