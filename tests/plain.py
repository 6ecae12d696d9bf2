"""Loaded by `-p tests.plain`, after tests/environment.py: for tests that know nothing of the console, whose settings
and apps would only be loaded.
"""

import os

os.environ.pop("DJANGO_SETTINGS_MODULE", None)
