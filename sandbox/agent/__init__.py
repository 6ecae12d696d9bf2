"""A node of a real cluster: Pods whose image is a program on this machine really run there, as they do in the sandbox.

``python -m sandbox node --kubeconfig FILE …``; program.py starts what the other files bring.
"""
