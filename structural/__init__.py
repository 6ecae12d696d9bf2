"""Kubernetes' structural schemas: preparing and checking objects, in the API server's own words.

The sandbox answers with them; the console's forms show the same messages before a request is sent. All functions are
pure (no store, clock or network), and the package imports no other of this repository. Entry points:
`validate.validate` and `prepare.prepare`.
"""
