"""What a person prefers: theme, language, how times are shown, how long lists are, where to begin, columns.

Kept on the server for whoever signed in,
in cookies of the browser before that and where nobody signs in.
"""
