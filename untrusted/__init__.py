"""Readers of untrusted text: size and depth are checked before it is decoded.

Used by the console, the sandbox and the operators.
"""
