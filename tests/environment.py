"""Loaded by pytest before Django's settings are: a folder, a Redis address and a kubeconfig of this run's own.

Nothing is started here. The fixtures of conftest.py start the server behind an address when the first test asks for it.
"""

import atexit
import importlib
import os
import shutil
import tempfile
from pathlib import Path

FOLDER = Path(tempfile.mkdtemp(prefix="console-test-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)

os.environ.update(
    DJANGO_SETTINGS_MODULE="console.settings",
    DATA_DIR=str(FOLDER),
    REDIS_URL=f"unix://{FOLDER}/redis.sock",
    REDIS_PREFIX="test",
    KUBECONFIG=str(FOLDER / "sandbox" / "kubeconfig"),
    CONTEXT="",
    CLUSTER_NOTE="embedded",
    DJANGO_ALLOW_ASYNC_UNSAFE="true",
    # Plain files: a page's test does not depend on whether the front end was bundled.
    STATICFILES_BACKEND="console.web.static.HashedStorage",
)
if url := os.environ.get("TEST_DATABASE_URL"):
    os.environ["DATABASE_URL"] = url
else:
    os.environ.pop("DATABASE_URL", None)

# Imported here, while there is one thread: pytest rewrites this plugin's modules, and Python 3.11 may fail to parse in
# one thread while another does (SystemError: AST constructor recursion depth mismatch, python/cpython#106905).
importlib.import_module("hypothesis.internal.observability")
# How long an example takes says how busy the machine is.
hypothesis = importlib.import_module("hypothesis")
hypothesis.settings.register_profile("busy", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("busy")
