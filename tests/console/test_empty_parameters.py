"""O17: addresses carry no empty parameters."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

MODULE = Path(__file__).resolve().parents[2] / "static/js/frame/empties.js"


@pytest.mark.skipif(not shutil.which("node"), reason="needs node")
def test_o17_of_a_form_only_what_says_something_is_sent() -> None:
    """O17: several values of one name stay in their order."""
    program = f"""
        import {{ withoutEmpty }} from {json.dumps(MODULE.as_uri())};
        const data = new FormData();
        for (const pair of [["q", ""], ["ns", "shop"], ["kind", ""], ["kind", "a"], ["kind", "b"], ["page", "0"]])
          data.append(...pair);
        console.log(JSON.stringify([...withoutEmpty(data)]));
    """
    command = ["node", "--input-type=module", "-e", program]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout)
    assert found == [["ns", "shop"], ["page", "0"], ["kind", "a"], ["kind", "b"]]
