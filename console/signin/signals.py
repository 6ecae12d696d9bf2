"""What the sign-in tells the rooms above it."""

from django.dispatch import Signal

#: A session is over: signed out, expired or refused. Sent with `session`, its key, in the process that noticed.
ended = Signal()
