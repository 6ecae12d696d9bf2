"""Django's pages as WSGI: under uvicorn they run through a bridge (console/asgi.py), see docs/decisions."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")
application = get_wsgi_application()
