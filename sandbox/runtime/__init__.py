"""The parts of a node: images that stand for local programs, processes, folders as volumes, ports, logs, probes.

sandbox.controllers.kubelet decides which Pods run here; sandbox.streams shows what they do.
"""
