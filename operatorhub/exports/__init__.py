"""An installed operator as clean manifests, ready for Git, and such a folder brought back into a cluster.

clean.py (objects without what only a server writes) → gather.py (an operator's objects) → folder.py (a kustomize
folder) ; bring.py (a folder → objects, compared with the cluster, applied in order).
"""
