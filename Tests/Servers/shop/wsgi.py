"""The shop as an application of WSGI, with tables and users that are made anew."""

# mypy: ignore-errors
# Django has no types.

import os

os.environ["DJANGO_SETTINGS_MODULE"] = "shop.settings"

from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application

application = get_wsgi_application()
call_command("migrate", run_syncdb=True, verbosity=0)
for name in ("ada", "bob", "cyd", "dan"):
    get_user_model().objects.create_user(name, password=name)
