"""A stand-in for the operator of Argo CD: it makes what the real one makes, and what runs says that there is no Argo
CD. README.md.
"""
