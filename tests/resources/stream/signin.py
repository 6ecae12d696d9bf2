"""A site where somebody signs in and out, as far as the stream cares: the console has no such pages yet."""

from django.contrib.auth import get_user_model, login, logout
from django.http import HttpRequest, HttpResponse
from django.urls import path


def enter(request: HttpRequest) -> HttpResponse:
    user, _made = get_user_model().objects.get_or_create(username="somebody")
    login(request, user, "django.contrib.auth.backends.ModelBackend")
    return HttpResponse()


def change(request: HttpRequest) -> HttpResponse:
    """Something else is put into the session: its cookie is another then."""
    request.session["colour"] = "blue"
    return HttpResponse()


def leave(request: HttpRequest) -> HttpResponse:
    logout(request)
    return HttpResponse()


urlpatterns = [path("enter/", enter), path("change/", change), path("leave/", leave)]
