"""Installed operators: what they are, what runs for them, what they provide."""
