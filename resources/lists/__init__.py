"""Parts of lists: entries (one object, made small), the chosen columns, orders, and snapshots of whole lists that are
kept current.
"""
