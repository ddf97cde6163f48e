"""The settings of the shop. `SHOP_FOLDER` is the folder of its database and its photos."""

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

FOLDER = Path(os.environ.get("SHOP_FOLDER", "."))
#: Signs the tokens of the shop.
SECRET_KEY = "a key of at least 32 bytes, which signs the tokens of tests alone"

ALLOWED_HOSTS = ["127.0.0.1"]
ROOT_URLCONF = "shop.urls"
USE_TZ = True
TIME_ZONE = "UTC"
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "rest_framework",
    "rest_framework_simplejwt.token_blacklist",
    "drf_spectacular",
    "shop",
]
MIDDLEWARE = ["django.middleware.http.ConditionalGetMiddleware"]  # ETag and 304
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": FOLDER / "shop.db",
        "OPTIONS": {"init_command": "PRAGMA synchronous=OFF", "transaction_mode": "IMMEDIATE"},
    }
}
#: The tables are made from the models at once, which takes a tenth of the time of all migrations.
MIGRATION_MODULES = {"auth": None, "contenttypes": None, "token_blacklist": None, "shop": None}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # the quickest one
MEDIA_ROOT = FOLDER / "media"
MEDIA_URL = "/media/"

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "rest_framework_simplejwt.authentication.JWTAuthentication"
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_THROTTLE_RATES": {"ticker": "1/second", "report": "2/day"},
}
SIMPLE_JWT = {
    "ACCESS_TOKEN_LIFETIME": timedelta(minutes=5),
    "ROTATE_REFRESH_TOKENS": True,
    "BLACKLIST_AFTER_ROTATION": True,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Shop",
    "VERSION": "1",
    "COMPONENT_SPLIT_REQUEST": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SERVE_AUTHENTICATION": [],
}
