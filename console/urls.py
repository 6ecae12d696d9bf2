"""Where each address goes. The contract is docs/architecture.md, 'Contracts'."""

from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView

urlpatterns = [
    path("", include("console.pages.urls")),
    path("", include("console.signin.urls")),
    path("", include("operatorhub.urls")),
    path("resources/", include("resources.urls")),
    path("api/resources/", include("resources.api_urls")),
    path("api/operatorhub/", include("operatorhub.api_urls")),
    path("api/schema/", SpectacularAPIView.as_view(), name="api-schema"),
]

handler400 = "console.web.errors.bad_request"
handler404 = "console.web.errors.not_found"
handler500 = "console.web.errors.server_error"
