"""A simulation of the Argo CD operator for the embedded cluster, where its container can not run.

It turns an ``ArgoCD`` into the objects that the real operator makes for it, each annotated as simulated. What runs in their
Pods is simulated too: there is no Argo CD behind them.
"""
