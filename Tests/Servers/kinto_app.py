"""Kinto as an application of WSGI. It keeps everything in memory, and in the file `KINTO_FILE` from
its end to its next start.
"""

# mypy: ignore-errors
# Kinto has no types.

import atexit
import functools
import os
import pickle
from pathlib import Path

import bcrypt
import kinto

KEPT = [("storage", "_store"), ("storage", "_cemetery"), ("storage", "_timestamps"),
        ("permission", "_store")]  # fmt: skip
SETTINGS = {
    "kinto.storage_backend": "kinto.core.storage.memory",
    "kinto.cache_backend": "kinto.core.cache.memory",
    "kinto.permission_backend": "kinto.core.permission.memory",
    "kinto.includes": "kinto.plugins.accounts kinto.plugins.default_bucket",
    "kinto.account_create_principals": "system.Everyone",
    "kinto.userid_hmac_secret": "only for tests",
    "multiauth.policies": "account",
    "multiauth.policy.account.use": (
        "kinto.plugins.accounts.authentication.AccountsAuthenticationPolicy"
    ),
}


def keep() -> None:
    """Writes the file."""
    state = [getattr(getattr(application.registry, backend), name) for backend, name in KEPT]
    file.write_bytes(pickle.dumps(state))


bcrypt.gensalt = functools.partial(bcrypt.gensalt, rounds=4)  # the quickest one for passwords
application = kinto.main({}, **SETTINGS)
file = Path(os.environ["KINTO_FILE"])
if file.exists():
    for (backend, name), value in zip(KEPT, pickle.loads(file.read_bytes()), strict=True):
        setattr(getattr(application.registry, backend), name, value)
atexit.register(keep)
