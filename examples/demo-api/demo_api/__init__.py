"""The bundled demo API: a deterministic REST service on the loopback interface.

Read the modules in this order: `routes` (the table of paths), `resources` and `probes` (how each
answer is made), `collection` and `seed` (the data), `message`, `wire`, `delivery` and `server`
(HTTP).
"""
