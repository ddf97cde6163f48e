"""A shop on Django REST framework, with a description by drf-spectacular."""
