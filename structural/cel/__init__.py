"""CEL, as CRD rules use it: Google's library, with the functions Kubernetes adds written in Python.

Nothing here is imported before the first rule is met: the library costs 6 MB, and is absent on some platforms.
"""
