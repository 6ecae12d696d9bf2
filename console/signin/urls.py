"""The way in and out."""

from django.urls import path

from console.signin import impersonation_views, views
from console.signin.oidc import views as oidc

app_name = "signin"

urlpatterns = [
    path("sign-in/", views.sign_in, name="sign-in"),
    path("sign-in/oidc/", oidc.begin, name="oidc"),
    path("sign-in/oidc/back/", oidc.back, name="oidc-back"),
    path("sign-out/", views.sign_out, name="sign-out"),
    path("view-as/", impersonation_views.view_as, name="view-as"),
    path("view-as/offer/", impersonation_views.offer, name="view-as-offer"),
    path("view-as/stop/", impersonation_views.stop, name="view-as-stop"),
]
