"""Products, orders with lines, and the events of orders."""

# mypy: ignore-errors
# Django has no types.

from django.contrib.auth.models import User
from django.db import models


class Product(models.Model):
    name = models.CharField(max_length=60)
    price = models.DecimalField(max_digits=10, decimal_places=2)
    photo = models.FileField(upload_to="photos", null=True, editable=False)
    revision = models.IntegerField(default=1, editable=False)


class Order(models.Model):
    customer = models.ForeignKey(User, models.CASCADE, related_name="orders")
    note = models.CharField(max_length=60, blank=True)
    placed = models.DateTimeField(auto_now_add=True)


class Line(models.Model):
    order = models.ForeignKey(Order, models.CASCADE, related_name="lines")
    product = models.ForeignKey(Product, models.PROTECT)
    quantity = models.PositiveIntegerField()


class Event(models.Model):
    order = models.ForeignKey(Order, models.CASCADE)
    text = models.CharField(max_length=60)
