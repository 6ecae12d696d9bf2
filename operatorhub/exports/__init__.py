"""An installed operator as clean manifests, ready for Git, and such a folder brought back into a cluster.

operator_objects.py (an operator's objects) → folder.py (a kustomize folder of them, without what only a server writes;
and a folder → objects, compared with the cluster, applied in order).
"""
