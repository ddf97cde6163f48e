"""The bundled demo API: a deterministic REST service on the loopback interface.

Read it in this order: `routes` (what is served), `resources` and `probes` (how each answer is
made), `collection` and `seed` (the data), `message`, `wire`, `delivery` and `server` (HTTP).
"""
