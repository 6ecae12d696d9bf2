"""What can be done with an object beside editing it, what this user may not do and why, and the kubectl command for
each.
"""
