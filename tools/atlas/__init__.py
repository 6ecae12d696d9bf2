"""Every main page of the console with something real on it: for the measures of accessibility, of bytes and time,
and for pictures.
"""
