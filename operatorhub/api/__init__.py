"""/api/operatorhub/…: all that the pages of OperatorHub do, as JSON, with the signed-in user's own rights.

The views are thin: they call what the pages call, and answer with the same dataclasses (common.py), so that the schema
says of each field what its type says.
"""
