"""A bundle installed without a catalog, as operator-sdk's `run bundle` does, and everything it made taken away again.

given.py (what somebody gave becomes bundles) → verdicts.py (is it sound) → plan.py (the objects here, what speaks
against them) → making.py → follow.py → removal.py. The objects themselves are operatorhub.direct's. Why without a
registry Pod and a CatalogSource: docs/decisions.
"""
