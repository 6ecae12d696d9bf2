"""The programs behind `make run`: which they are (parts.py) and how they are kept alive and ended (supervisor.py).

No Django in here: the supervisor stays small and starts before anything else is imported.
"""
