"""OLM v1: ClusterExtensions, installed from ClusterCatalogs without Subscription, OperatorGroup or InstallPlan.

facts.py (what an extension says of itself, and the versions that it may become), draft.py (the objects of an install or
an upgrade, with the permissions that the ServiceAccount needs).
https://operator-framework.github.io/operator-controller/
"""
