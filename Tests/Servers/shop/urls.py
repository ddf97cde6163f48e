"""The paths of the shop."""

# mypy: ignore-errors
# Django has no types.

from django.conf import settings
from django.urls import include, path
from django.views.static import serve
from drf_spectacular.views import SpectacularJSONAPIView
from rest_framework.routers import DefaultRouter
from rest_framework_simplejwt.views import TokenObtainPairView, TokenRefreshView

from . import views

router = DefaultRouter()
router.register("products", views.Products)
router.register("orders", views.Orders)
router.register("events", views.Events)

urlpatterns = [
    path("schema/", SpectacularJSONAPIView.as_view()),
    path("api/token/", TokenObtainPairView.as_view()),
    path("api/token/refresh/", TokenRefreshView.as_view()),
    path("api/report/", views.Report.as_view()),
    path("api/ticker/", views.Ticker.as_view()),
    path("api/", include(router.urls)),
    path("media/<path:path>", serve, {"document_root": settings.MEDIA_ROOT}),
]
