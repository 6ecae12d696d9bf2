"""Loaded by `-p tests.plain`, after tests/environment.py: for tests that don't use the console, so that its
settings and apps aren't loaded.
"""

import os

os.environ.pop("DJANGO_SETTINGS_MODULE", None)
