"""`python -IS deploy/start.py PROGRAM …` becomes the program. What that writes is for its user only.

The entry point of the image, which has no shell.
"""

import os
import sys

os.umask(0o077)
os.execvp(sys.argv[1], sys.argv[1:])  # noqa: S606 - without a shell on purpose
