"""A user's preferences: theme, language, format of times, length of lists, start page, columns.

In the database for signed-in users, else in the browser's cookies.
"""
