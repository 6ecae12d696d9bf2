"""A small replicated key-value database in the manner of Galera, and its package in KUDO's form (README.md)."""
