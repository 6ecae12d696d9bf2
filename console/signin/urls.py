"""The way in and out."""

from django.urls import path

from console.signin import views
from console.signin.oidc import views as oidc

app_name = "signin"

urlpatterns = [
    path("sign-in/", views.sign_in, name="sign-in"),
    path("sign-in/oidc/", oidc.begin, name="oidc"),
    path("sign-in/oidc/back/", oidc.back, name="oidc-back"),
    path("sign-out/", views.sign_out, name="sign-out"),
    path("view-as/", views.view_as, name="view-as"),
    path("view-as/offer/", views.view_as_offer, name="view-as-offer"),
    path("view-as/stop/", views.stop_view_as, name="view-as-stop"),
]
