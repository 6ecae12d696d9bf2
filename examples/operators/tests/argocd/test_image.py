"""The image of the components, as far as it can be tried without a container engine: what is copied in is enough,
and it runs.
"""

import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from console.processes.parts import free_port
from examples.operators.argocd.parts import PARTS, ComponentSpec
from examples.operators.tests.sampledb.test_image import copied


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.suffix)
def test_every_component_runs_with_the_standard_library_alone(tmp_path: Path, part: ComponentSpec) -> None:
    place = copied("argocd-tutorial", tmp_path)
    ports = {f"SANDBOX_PORT_{port}": str(free_port()) for port in part.ports}
    # -S: without site-packages, as the image is.
    command = [sys.executable, "-S", "-B", "-m", "examples.operators.argocd.standin", part.suffix]
    environment = {"PATH": os.defpath, "ARGOCD_INSTANCE": "mine", **ports}
    with subprocess.Popen(command, cwd=place, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        try:
            for _ in part.ports:
                assert f"the simulated {part.suffix} of mine listens" in process.stderr.readline()
            if not part.plain:
                url = f"http://127.0.0.1:{ports[f'SANDBOX_PORT_{part.probe}']}"
                with urllib.request.urlopen(f"{url}/healthz", timeout=20) as answer:
                    assert answer.read() == b"ok\n"
                with urllib.request.urlopen(f"{url}/", timeout=20) as answer:
                    assert f"This is the {part.suffix} of mine" in answer.read().decode()
            process.terminate()
            assert process.wait(10) == 0, "it ends politely when it is asked to"
        finally:
            process.kill()


def test_the_operator_imports_what_its_image_installs_and_nothing_else(tmp_path: Path) -> None:
    place = copied("code", tmp_path)
    others = ("django", "redis", "celery", "psutil", "sandbox", "kube", "console", "tests")
    program = (
        f"import sys, json, examples.operators.argocd.operator; print(json.dumps([one for one in {others} if one in"
        " sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-B", "-c", program], cwd=place, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []
