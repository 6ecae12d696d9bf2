"""One word for the state of any object, and why: by the conventions of operators, and by rules for the kinds that
they mislead.
"""
