"""Actions on an object besides editing it, which of them the user lacks permission for and why, and the kubectl
command for each.
"""
