"""An install before it is made: what the cluster has, what somebody chose, what speaks against it, the exact
objects, their creation and its undoing.

situation.py → choices.py → objects.py, conflicts.py → draft.py → create.py → undo.py
"""
