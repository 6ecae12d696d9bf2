"""What the sign-in tells the rooms above it."""

from django.dispatch import Signal

#: Somebody signed in. Sent with `session`, its key, `row` (models.Session) and the `request`.
began = Signal()

#: Nobody was let in. Sent with `why`, an HTTP status, and the `request`; never with what was typed.
refused = Signal()

#: A session is over. Sent with `session`, its key, in the process that noticed; `why`: signed-out, replaced, expired,
#: refused (by the API server, or by the provider that renews it) or unreadable; `row` as it was.
ended = Signal()

#: A session is in use: what it needs to go on is renewed now. Sent with `session`; a receiver that answers False has
#: found it to be over.
used = Signal()
