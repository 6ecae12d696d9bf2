"""Readers of text that strangers wrote: bounded before it becomes objects.

Used by the console, the sandbox and the operators.
"""
