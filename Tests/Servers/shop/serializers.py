"""The JSON of the shop."""

# mypy: ignore-errors
# Django has no types.

from rest_framework import serializers

from .models import Event, Line, Order, Product


class ProductSerializer(serializers.ModelSerializer):
    class Meta:
        model = Product
        fields = ("id", "name", "price", "photo", "revision")
        read_only_fields = ("photo", "revision")


class PhotoSerializer(serializers.Serializer):
    photo = serializers.FileField()


class LineSerializer(serializers.ModelSerializer):
    quantity = serializers.IntegerField(min_value=1)

    class Meta:
        model = Line
        fields = ("id", "product", "quantity")


class OrderSerializer(serializers.ModelSerializer):
    """An order is written together with its lines, which replace the lines that it has."""

    customer = serializers.CharField(source="customer.username", read_only=True)
    lines = LineSerializer(many=True)

    class Meta:
        model = Order
        fields = ("id", "customer", "note", "placed", "lines")

    def create(self, validated_data):
        lines = validated_data.pop("lines")
        return self.with_lines(super().create(validated_data), lines, "placed")

    def update(self, instance, validated_data):
        lines = validated_data.pop("lines", None)
        return self.with_lines(super().update(instance, validated_data), lines, "changed")

    def with_lines(self, order, lines, text):
        if lines is not None:
            order.lines.all().delete()
            Line.objects.bulk_create(Line(order=order, **line) for line in lines)
        Event.objects.create(order=order, text=text)
        return order


class EventSerializer(serializers.ModelSerializer):
    class Meta:
        model = Event
        fields = ("id", "order", "text")


class ReportSerializer(serializers.Serializer):
    products = serializers.IntegerField()
