"""The resources of the shop: each list has another kind of pages."""

# mypy: ignore-errors
# Django has no types.

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, pagination, parsers, status, throttling, viewsets
from rest_framework.decorators import action
from rest_framework.exceptions import APIException
from rest_framework.response import Response
from rest_framework.views import APIView

from .models import Event, Order, Product
from .serializers import (
    EventSerializer,
    OrderSerializer,
    PhotoSerializer,
    ProductSerializer,
    ReportSerializer,
)


class ByNumber(pagination.PageNumberPagination):
    page_size = 3
    page_size_query_param = "page_size"


class ByOffset(pagination.LimitOffsetPagination):
    default_limit = 2


class ByCursor(pagination.CursorPagination):
    page_size = 4
    ordering = "id"


class PreconditionFailed(APIException):
    status_code = status.HTTP_412_PRECONDITION_FAILED
    default_detail = "The product has changed."


class Products(viewsets.ModelViewSet):
    """Each change of a product gives it another ETag, and a change may be bound to one."""

    queryset = Product.objects.order_by("id")
    serializer_class = ProductSerializer
    pagination_class = ByNumber

    def finalize_response(self, request, response, *arguments, **options):
        response = super().finalize_response(request, response, *arguments, **options)
        if self.detail and response.status_code == 200 and "revision" in response.data:
            response["ETag"] = f'"{response.data["revision"]}"'
        return response

    @transaction.atomic
    def perform_update(self, serializer):
        product = serializer.instance
        wanted = self.request.headers.get("If-Match")
        if wanted not in (None, "*", f'"{product.revision}"'):
            raise PreconditionFailed
        serializer.save(revision=product.revision + 1)

    @extend_schema(request={"multipart/form-data": PhotoSerializer}, responses=ProductSerializer)
    @action(detail=True, methods=["post"], parser_classes=[parsers.MultiPartParser])
    def photo(self, request, pk=None):
        product = self.get_object()
        form = PhotoSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        product.photo = form.validated_data["photo"]
        product.revision += 1
        product.save()
        return Response(self.get_serializer(product).data)


class Orders(viewsets.ModelViewSet):
    """Each customer sees the orders of his own."""

    queryset = Order.objects.order_by("id")
    serializer_class = OrderSerializer
    pagination_class = ByOffset

    def get_queryset(self):
        return super().get_queryset().filter(customer_id=self.request.user.id)

    @transaction.atomic
    def perform_create(self, serializer):
        serializer.save(customer=self.request.user)

    @transaction.atomic
    def perform_update(self, serializer):
        serializer.save()


class Events(mixins.ListModelMixin, viewsets.GenericViewSet):
    queryset = Event.objects.all()
    serializer_class = EventSerializer
    pagination_class = ByCursor

    def get_queryset(self):
        return super().get_queryset().filter(order__customer_id=self.request.user.id)


class Report(APIView):
    """A report, which may be asked for twice a day."""

    throttle_classes = (throttling.ScopedRateThrottle,)
    throttle_scope = "report"

    @extend_schema(responses=ReportSerializer)
    def get(self, request):
        return Response({"products": Product.objects.count()})


class Ticker(Report):
    """The same, which may be asked for once in a second."""

    throttle_scope = "ticker"
