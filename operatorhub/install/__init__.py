"""An install before it is made: the cluster's state, the user's choices, the conflicts, the exact objects, their
creation and how to undo it.

situation.py → choices.py → objects.py, conflicts.py → draft.py → created_objects.py
"""
