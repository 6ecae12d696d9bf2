"""Kubernetes' structural schemas: preparing and checking objects, in the API server's own words.

Used by the sandbox, which answers with them, and by the console's forms, which say the same before anything is sent.
Everything is pure: no store, no clock, no network; and it knows nobody. `validate.validate` and `prepare.prepare` are
the doors.
"""
