"""What lists are made of: entries (one object, made small), the columns somebody wants to see, orders, and snapshots
of whole lists that stay true.
"""
