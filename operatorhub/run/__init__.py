"""Installs a bundle without a catalog, as operator-sdk's `run bundle` does, and removes everything that it created.

bundle_input.py (input → bundles) → verdicts.py (validation) → plan.py (the objects, the conflicts, the creation)
→ follow.py → removal.py. The objects themselves are operatorhub.direct's. Why without a registry Pod and a
CatalogSource: docs/decisions.
"""
