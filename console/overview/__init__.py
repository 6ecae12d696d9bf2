"""What the overview tells, one subject a file.

Each is a card of its own that is asked for by itself, so that none waits for another (cards.py).
"""
