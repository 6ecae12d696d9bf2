"""How live the console is: `make bench-live`.

One file a measurement; each says in its docstring what exactly it measures.
"""
