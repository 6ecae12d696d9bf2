"""Whose namespaces are whose, where the API server does not list them: found, judged by what may be read there, and
remembered (decision 23).
"""
