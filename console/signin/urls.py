"""The way in and out."""

from django.urls import path

from console.signin import views

app_name = "signin"

urlpatterns = [
    path("sign-in/", views.sign_in, name="sign-in"),
    path("sign-out/", views.sign_out, name="sign-out"),
]
