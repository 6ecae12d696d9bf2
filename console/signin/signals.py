"""What the sign-in tells the rooms above it."""

from django.dispatch import Signal

#: Somebody signed in. Sent with `session`, its key, `row` (models.Session) and the `request`.
began = Signal()

#: Nobody was let in. Sent with `why`, an HTTP status, and the `request`; never with what was typed.
refused = Signal()

#: A session is over. Sent with `session`, its key, in the process that noticed; `why`: signed-out, replaced, expired, refused (by the API server) or unreadable;
#: `row` as it was.
ended = Signal()
