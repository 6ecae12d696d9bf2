"""OLM itself: whether it is there and well (state.py), and where it is not: its release manifest read (manifest.py),
applied (apply.py), taken away again.
"""
