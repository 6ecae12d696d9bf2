"""Bundles of operators: read from folders into one SQLite file.

Imports nothing of the API server: the reader is a small process.
"""
