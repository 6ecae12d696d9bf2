"""What the images of examples/operators/Containerfile run, which have no shell.

`python -m examples.operators` becomes the program PROGRAM with these arguments, or the operator OPERATOR.
"""

import os
import sys

program = os.environ.get("PROGRAM") or f"{os.environ['OPERATOR']}.operator"
os.execv(sys.executable, [sys.executable, "-m", f"examples.operators.{program}", *sys.argv[1:]])  # noqa: S606 - without a shell on purpose
