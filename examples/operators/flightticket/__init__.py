"""FlightTicket: the smallest whole operator (kopf).

It books a flight, or says why it can't. README.md says how to copy it.
"""
