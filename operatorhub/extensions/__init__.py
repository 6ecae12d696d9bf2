"""OLM v1: ClusterExtensions, installed from ClusterCatalogs without Subscription, OperatorGroup or InstallPlan.

facts.py (what an extension says of itself), needs.py (the rights that its ServiceAccount needs), candidates.py (which
versions there are), draft.py (the objects of an install or an upgrade).
https://operator-framework.github.io/operator-controller/
"""
