"""The overview's subjects, one per file.

Each is a card with a request of its own, so that none waits for another (cards.py).
"""
