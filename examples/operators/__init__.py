"""Operators of our own: programs behind the Kubernetes API. They import nothing of the console and nothing imports
them.
"""
