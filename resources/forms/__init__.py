"""Forms from OpenAPI v3 schemas: pure functions, dict in, dict out; no web framework, no cluster.

`build.Builder(schema, options).top(object)` makes the fields, templates draw them, `parse.parse(base, posted)` reads
them back.
"""
