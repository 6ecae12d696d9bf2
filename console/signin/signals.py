"""What the sign-in tells the rooms above it."""

from django.dispatch import Signal

#: A user signed in. Sent with `session`, its key, `row` (models.Session) and the `request`.
began = Signal()

#: A sign-in was refused. Sent with `why`, an HTTP status, and the `request`; never with the input.
refused = Signal()

#: A session is over. Sent with `session`, its key, in the process that noticed; `why`: signed-out, replaced, expired,
#: refused (by the API server, or by the provider that renews it) or unreadable; `row` as it was.
ended = Signal()

#: A session is in use: receivers renew its credentials. Sent with `session`; a receiver returns False if the session
#: is over.
used = Signal()
