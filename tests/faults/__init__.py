"""Proof that live status loses nothing: a whole console - hubs, web processes, Redis, an API server - whose parts are
killed, stopped and cut off while numbered changes are written and browsers look on. At the end every view equals the
API server's state.

`make test` runs the short form (test_short.py), `make test-real` the same with a real API server; `make test-faults`
runs each fault on its own (each.py), then minutes of them at random (long.py). FAULT_SEED repeats a run, as far as the
machine does; repetition.py plays one kind of fault many times. Where a page is wrong in the end, its diary and the
stream of its topic are written beside the programs' logs. docs/live.md says what is guaranteed.
"""
