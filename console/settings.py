"""Every setting of the console, read once from the environment; nothing else reads the environment.

Values that cannot be are refused here, by name, before anything starts. `NAME_FILE` may hold the path of a file with
the value of NAME (a mounted secret). The table for people is docs/reference/settings.md; a test keeps both equal.
"""

import contextlib
import logging
import os
import secrets
from importlib.util import find_spec
from pathlib import Path

import environ
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from console import request_id
from console.signin.oidc.options import trouble as provider_trouble
from kube import limits

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.FileAwareEnv()


def env_bool(name: str, default: bool) -> bool:
    """True for 1/true/yes/on, False for 0/false/no/off; anything else is refused by name."""
    value = str(env.str(name, "")).strip().lower()
    if value in ("", "1", "true", "yes", "on", "0", "false", "no", "off"):
        return default if not value else value in ("1", "true", "yes", "on")
    raise ImproperlyConfigured(f"{name}={value!r} is not a yes or a no: use 1 or 0")


def env_int(name: str, default: int) -> int:
    """A whole number, or a refusal that names the setting."""
    value = str(env.str(name, "")).strip()
    try:
        return int(value) if value else default
    except ValueError:
        raise ImproperlyConfigured(f"{name}={value!r} is not a whole number") from None


def secret_key(folder: Path) -> str:
    """SECRET_KEY, or one made at the first start and kept readable by the owner only."""
    if value := str(env.str("SECRET_KEY", "")):
        return value
    path = folder / "secret_key"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as sink:
            sink.write(secrets.token_urlsafe(50))
    return path.read_text()


def private_file(path: Path) -> Path:
    """`path`, which only its owner can read, also where it was made with another umask; SQLite gives its -wal and
    -shm the same mode.
    """
    with contextlib.suppress(OSError):
        path.touch(mode=0o600)
        for file in (path, *path.parent.glob(f"{path.name}-*")):
            if file.stat().st_mode & 0o077:
                file.chmod(0o600)
    return path


VERSION = "0.1.0"
DATA_DIR = Path(str(env.str("DATA_DIR", ""))).resolve() if env.str("DATA_DIR", "") else BASE_DIR / ".data"
DEBUG = env_bool("DEBUG", False)
# The page of all components, for those who build pages: /-/components/.
SHOW_COMPONENTS = env_bool("SHOW_COMPONENTS", DEBUG)
SECRET_KEY = secret_key(DATA_DIR)
ALLOWED_HOSTS = [host for host in str(env.str("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")).split(",") if host]
# Earlier values, with commas: what was signed and encrypted with them is still read.
SECRET_KEY_FALLBACKS = [key for key in str(env.str("SECRET_KEY_FALLBACKS", "")).split(",") if key]
CSRF_TRUSTED_ORIGINS = [origin for origin in str(env.str("CSRF_TRUSTED_ORIGINS", "")).split(",") if origin]

# The cluster: a kubeconfig (KUBECONFIG or ~/.kube/config) and a context, or in-cluster identity when neither is there.
KUBECONFIG = str(env.str("KUBECONFIG", ""))
KUBE_CONTEXT = str(env.str("CONTEXT", ""))
# Other contexts of it that people may switch to, with commas; * for all (docs/decisions/0025-several-clusters.md). See
# SIGN_IN below for what '' means.
KUBE_CONTEXTS = tuple(name.strip() for name in str(env.str("CONTEXTS", "")).split(",") if name.strip())
# What people read beside the cluster's name, e.g. "embedded"; `make run` sets it, the pages only print it.
CLUSTER_NOTE = str(env.str("CLUSTER_NOTE", ""))
# Links, banners and YAML samples of the administrator, as YAML (console/web/navigation.py).
ADDITIONS = str(env.str("ADDITIONS", ""))


def catalog_folders(value: str) -> tuple[str, ...]:
    """`<namespace>/<catalog>=<path>` or `<name>=<path>`, several joined as paths are; an entry without a name or a
    path is refused.
    """
    entries = tuple(entry for entry in value.split(os.pathsep) if entry)
    for entry in entries:
        name, _sign, path = entry.partition("=")
        if not name.strip("/") or not path:
            raise ImproperlyConfigured(
                f"CATALOG_FOLDERS: {entry!r} is not <namespace>/<catalog>=<path> or <name>=<path>"
            )
    return entries


# Sign-in. `local`: none, all users have the kubeconfig's identity; `token`: users sign in with a bearer token
# (docs/decisions/0021-sign-in.md); `oidc`: with an OpenID Connect provider, whose ID token is the bearer token
# (docs/decisions/0022-openid-connect.md); `oidc,token`: either.
SIGN_IN = ",".join(part.strip() for part in str(env.str("SIGN_IN", "")).lower().split(",") if part.strip()) or "local"
if SIGN_IN != "local" and not set(SIGN_IN.split(",")) <= {"token", "oidc"}:
    raise ImproperlyConfigured(f"SIGN_IN={SIGN_IN!r} is none of local, token, oidc and oidc,token")
# The provider: its issuer's URL, what it knows this console as (a public client has no secret), and how people call it.
OIDC_ISSUER = str(env.str("OIDC_ISSUER", "")).strip()
OIDC_CLIENT_ID = str(env.str("OIDC_CLIENT_ID", "")).strip()
OIDC_CLIENT_SECRET = str(env.str("OIDC_CLIENT_SECRET", "")).strip()
OIDC_NAME = str(env.str("OIDC_NAME", "")).strip()
# What is asked for; '': openid, and of profile, email, groups and offline_access what the provider says it has.
OIDC_SCOPES = tuple(str(env.str("OIDC_SCOPES", "")).replace(",", " ").split())
# Certificates of the authority of the provider's own, where the system does not know it.
OIDC_CA_FILE = str(env.str("OIDC_CA_FILE", "")).strip()
# The console's address in browsers, if the redirect address at the provider differs from the request's own.
CONSOLE_URL = str(env.str("CONSOLE_URL", "")).strip().rstrip("/")
if "oidc" in SIGN_IN.split(",") and (
    _wrong := provider_trouble(OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_SCOPES, OIDC_CA_FILE, CONSOLE_URL)
):
    raise ImproperlyConfigured(_wrong)
# A session ends after so many hours at most, and when nothing was done for so many minutes.
SIGN_IN_HOURS = env_int("SIGN_IN_HOURS", 12)
SIGN_IN_IDLE_MINUTES = env_int("SIGN_IN_IDLE_MINUTES", 120)
if not 1 <= SIGN_IN_HOURS <= 336 or SIGN_IN_IDLE_MINUTES < 2:
    raise ImproperlyConfigured("SIGN_IN_HOURS is 1 to 336, SIGN_IN_IDLE_MINUTES 2 or more")
# A local console offers all contexts of the kubeconfig by default.
if not KUBE_CONTEXTS and not KUBE_CONTEXT and SIGN_IN == "local":
    KUBE_CONTEXTS = ("*",)
# For SIGN_IN=local on an address that others can reach: a proxy in front authenticates users, or the port is published
# on loopback only.
GUARDED_IN_FRONT = env_bool("GUARDED_IN_FRONT", False)
# `make run` refuses the embedded cluster where people sign in unless this is set: its Pods are processes of this
# machine.
SHARE_EMBEDDED_CLUSTER = env_bool("SHARE_EMBEDDED_CLUSTER", False)

# A hint of the administrator: namespaces to check for users who can't list namespaces. It grants no permission: each is
# checked per user.
NAMESPACES = tuple(str(env.str("NAMESPACES", "")).replace(",", " ").split())

# True where only this machine reaches the console: then who uses it may name folders and addresses of the machine.
# People who sign in are guests of it: its folders, ports and loopback addresses are not theirs.
LOCAL_ONLY = env_bool("LOCAL_ONLY", False) and SIGN_IN == "local"
# User names and passwords of registries, as `docker login` and `podman login` write them.
REGISTRY_AUTH_FILE = str(env.str("REGISTRY_AUTH_FILE", str(Path.home() / ".docker" / "config.json")))
# Folders that the console reads itself: what the cluster's CatalogSources of these names serve, or catalogs of the
# console's own.
CATALOG_FOLDERS = catalog_folders(str(env.str("CATALOG_FOLDERS", "")))

REDIS_URL = str(env.str("REDIS_URL", "redis://127.0.0.1:6379/0"))
# One prefix for all our Redis keys, so that two consoles (or a test) can share a server.
REDIS_PREFIX = str(env.str("REDIS_PREFIX", "console"))

# Traces by OpenTelemetry (console/traces.py): imported only where a collector is named. The library itself reads the
# other OTEL_… variables.
OTEL_EXPORTER_OTLP_ENDPOINT = str(env.str("OTEL_EXPORTER_OTLP_ENDPOINT", "")).strip()
if OTEL_EXPORTER_OTLP_ENDPOINT and not OTEL_EXPORTER_OTLP_ENDPOINT.startswith(("http://", "https://")):
    raise ImproperlyConfigured(
        "OTEL_EXPORTER_OTLP_ENDPOINT is no http:// or https:// address: a collector's for OTLP over HTTP, port 4318 as"
        " a rule"
    )
if OTEL_EXPORTER_OTLP_ENDPOINT and find_spec("opentelemetry") is None:
    raise ImproperlyConfigured("OTEL_EXPORTER_OTLP_ENDPOINT needs OpenTelemetry's packages: uv sync --group tracing")

INSTALLED_APPS = [
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "django_cotton.apps.SimpleAppConfig",
    "rest_framework",
    "drf_spectacular",
    "console",
    "console.audit",
    "console.prefer",
    "console.reach",
    "console.signin",
    "console.signin.oidc",
    "operatorhub",
    "resources",
]

MIDDLEWARE = [
    "console.request_id.NumberMiddleware",
    "console.web.front.PlaceMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "console.web.csp.ContentSecurityPolicyMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "console.web.language.LanguageMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "console.signin.middleware.SignInMiddleware",
    "console.signin.middleware.ActingMiddleware",
    "console.active_clusters.ActiveClusterMiddleware",
    "console.prefer.times.PreferencesMiddleware",
    "console.web.request.ClusterMiddleware",
    "console.web.soft_timeout.FrameMiddleware",
    "console.audit.recorder.AuditMiddleware",
    "console.signin.rate_limits.PaceMiddleware",
    "console.web.errors.KubeErrorMiddleware",
]

if OTEL_EXPORTER_OTLP_ENDPOINT:
    MIDDLEWARE.insert(1, "console.traces.TraceMiddleware")

ROOT_URLCONF = "console.urls"
WSGI_APPLICATION = "console.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            # What `app_directories` and `cached` do by default, and cotton's reading of <c-…>
            # (templates/components/README.md).
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    [
                        "django_cotton.cotton_loader.Loader",
                        "django.template.loaders.filesystem.Loader",
                        "django.template.loaders.app_directories.Loader",
                    ],
                )
            ],
            "builtins": ["django_cotton.templatetags.cotton"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.messages.context_processors.messages",
                "console.web.frame.frame_context",
            ],
        },
    }
]

COTTON_DIR = "components"
# A component sees its attributes and what context processors give, and nothing else of the page that uses it.
COTTON_ISOLATE_BY_DEFAULT = True

# Pages for the time in which their cluster does not answer (console/web/soft_timeout.py): ten minutes, at most 64 of
# OLDER_PAGE bytes in each process.
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"},
    "older_pages": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "older_pages",
        "TIMEOUT": 600,
        "OPTIONS": {"MAX_ENTRIES": 64},
    },
    # console/web/navigation.py: a new permission shows in the navigation after so many seconds.
    "navigation": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "navigation",
        "TIMEOUT": 60,
        "OPTIONS": {"MAX_ENTRIES": 8192},
    },
}

# SQLite beside the data unless DATABASE_URL says otherwise (PostgreSQL in deployments).
DATABASES = {"default": env.db_url("DATABASE_URL", default=f"sqlite:///{DATA_DIR / 'console.sqlite3'}")}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    if DATABASES["default"]["NAME"] == str(DATA_DIR / "console.sqlite3"):
        private_file(DATA_DIR / "console.sqlite3")
    # Several processes share the file: wait for the writer instead of failing, without blocking readers.
    DATABASES["default"]["OPTIONS"] = {
        "timeout": 20,
        "transaction_mode": "IMMEDIATE",
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA busy_timeout=20000;",
    }
else:
    DATABASES["default"]["CONN_MAX_AGE"] = 60
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

SESSION_ENGINE = "django.contrib.sessions.backends.signed_cookies"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "console.web.errors.csrf_failure"
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
HTTPS = env_bool("HTTPS", False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
# Behind TLS: redirect plain HTTP, with HSTS for a year. Probes connect directly and follow no redirect.
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if HTTPS else 0
# What other names of the domain do, and whether browsers ship it in their lists, is for the domain's owner to say
# (their gateway may add it).
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
# Consoles on one host share cookies over all ports: the port is in the names so that two do not fight.
SESSION_COOKIE_NAME = f"console_session_{env_int('PORT', 9000)}"
CSRF_COOKIE_NAME = f"console_csrf_{env_int('PORT', 9000)}"

# A form of a large custom resource has more fields than Django's 1,000 and may be over 2.5 MB; etcd takes 1.5 MB an
# object. Ten thousand items of a list, each with its fields, arrive whole (static/js/drafts.js says so before a page
# sends more).
DATA_UPLOAD_MAX_NUMBER_FIELDS = limits.FORM_FIELDS.value
DATA_UPLOAD_MAX_MEMORY_SIZE = limits.REQUEST_BODY_BYTES.value
FILE_UPLOAD_MAX_MEMORY_SIZE = 16 * 1024 * 1024
# Larger files lie beside the data: /tmp of a container is small, and its memory where it is a tmpfs. Django refuses a
# folder that isn't there, and a Job for the database alone has none.
with contextlib.suppress(OSError):
    DATA_DIR.mkdir(parents=True, exist_ok=True)
FILE_UPLOAD_TEMP_DIR = str(DATA_DIR) if DATA_DIR.is_dir() else None

LANGUAGE_CODE = "en"
LANGUAGES = [
    ("en", "English"),
    ("es", "Español"),
    ("fr", "Français"),
    ("ja", "日本語"),
    ("ko", "한국어"),
    ("zh-hans", "简体中文"),
]
LOCALE_PATHS = [BASE_DIR / "locale"]
LANGUAGE_COOKIE_NAME = "console_language"
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
# Served from where set-up bundles them: nothing is collected, so nothing can be stale.
STATIC_ROOT = BASE_DIR / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": env.str("STATICFILES_BACKEND", "console.web.static.HashedStorage"),
    },
}
# Every address carries its content's hash (console/web/static.py), so browsers may keep what they have for a year.
WHITENOISE_MAX_AGE = 365 * 24 * 3600

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["console.web.api.CsrfChecked"],
    "DEFAULT_PARSER_CLASSES": ["console.web.request_body.BoundedJSONParser"],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "console.web.api.api_exception",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Operator Console",
    "DESCRIPTION": "Everything the pages can do, as JSON.",
    "VERSION": VERSION,
    "SERVE_INCLUDE_SCHEMA": False,
    "PATH_CONVERTER_OVERRIDES": {"name": str},  # resources.place.NameConverter
    # The browser stands for the user; a program brings a bearer token where people sign in (console/signin/bearer.py).
    "AUTHENTICATION_WHITELIST": [],
    "APPEND_COMPONENTS": {"securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}}},
    "SECURITY": [{"bearer": []}, {}],
}

# The history of objects (docs/decisions/0012): of every custom kind and of the built-in ones named here, as kubectl
# names them; '' for none at all.
_KINDS = (
    "custom deployments.apps statefulsets.apps daemonsets.apps cronjobs.batch services configmaps"
    " persistentvolumeclaims"
)
HISTORY_KINDS = tuple(str(env.str("HISTORY_KINDS", _KINDS)).split())
# How long it is kept, how much of it in all, how many changes of one object; a kind of more objects is not followed.
HISTORY_DAYS = env_int("HISTORY_DAYS", 30)
HISTORY_MEGABYTES = env_int("HISTORY_MEGABYTES", 200)
HISTORY_CHANGES = env_int("HISTORY_CHANGES", 200)
HISTORY_OBJECTS = env_int("HISTORY_OBJECTS", 1000)
if min(HISTORY_DAYS, HISTORY_MEGABYTES, HISTORY_CHANGES, HISTORY_OBJECTS) < 1:
    raise ImproperlyConfigured(
        "HISTORY_DAYS, HISTORY_MEGABYTES, HISTORY_CHANGES and HISTORY_OBJECTS are 1 or more; HISTORY_KINDS= ends the"
        " history"
    )

# The audit (docs/decisions/0020): how long it is kept, how many acts of it in all, and how many of them one export has.
AUDIT_DAYS = env_int("AUDIT_DAYS", 90)
AUDIT_ROWS = env_int("AUDIT_ROWS", 100_000)
AUDIT_EXPORT_ROWS = env_int("AUDIT_EXPORT_ROWS", 50_000)
if min(AUDIT_DAYS, AUDIT_ROWS, AUDIT_EXPORT_ROWS) < 1:
    raise ImproperlyConfigured("AUDIT_DAYS, AUDIT_ROWS and AUDIT_EXPORT_ROWS are 1 or more")

# Celery. Short tasks on `default`; the watch hub is a bootstep of the worker that also consumes `watch`.
CELERY_BROKER_URL = f"redis+socket://{REDIS_URL[7:]}" if REDIS_URL.startswith("unix://") else REDIS_URL
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_TIME_LIMIT = 900
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 3600, "global_keyprefix": f"{REDIS_PREFIX}:celery:"}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A Redis that is full refuses the notes of a worker that starts: that passes, like a connection that is lost, and must
# not end it.
CELERY_BROKER_CHANNEL_ERROR_RETRY = True
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 2.0
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# Beat as a thread of the worker: for consoles with exactly one worker, as `make run` has.
BEAT_IN_WORKER = env_bool("BEAT_IN_WORKER", False)
# A file that the worker touches every five seconds, for a probe that looks at its age.
ALIVE_FILE = str(env.str("ALIVE_FILE", ""))
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "beat")
CELERY_BEAT_SCHEDULE = {
    "refresh-catalogs": {
        "task": "operatorhub.tasks.refresh_catalogs",
        "schedule": env_int("CATALOG_REFRESH_SECONDS", 300),
        "options": {"expires": 280},
    },
    "prune-history": {"task": "resources.tasks.prune_history", "schedule": 600, "options": {"expires": 580}},
    "sample-usage": {"task": "resources.tasks.sample_usage", "schedule": 60, "options": {"expires": 50}},
    "prune-audit": {"task": "console.audit.tasks.prune_audit", "schedule": 600, "options": {"expires": 580}},
}


def _worth_logging(record: logging.LogRecord) -> bool:
    """/readyz answers 503 on purpose, every time it is asked while a part is down."""
    return getattr(getattr(record, "request", None), "path", "") != "/readyz"


# How long a web process still answers after SIGTERM, with /readyz 503, so that load balancers stop sending requests
# first.
DRAIN_SECONDS = env_int("DRAIN_SECONDS", 0)
if not 0 <= DRAIN_SECONDS <= 300:
    raise ImproperlyConfigured("DRAIN_SECONDS is 0 to 300")

LOG_LEVEL = str(env.str("LOG_LEVEL", "INFO")).upper()
# `line` for people, `json` for programs that collect logs: one object per line.
LOG_FORMAT = str(env.str("LOG_FORMAT", "")).strip().lower() or "line"
if LOG_FORMAT not in ("line", "json"):
    raise ImproperlyConfigured(f"LOG_FORMAT={LOG_FORMAT!r} is neither line nor json")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": "console.web.logs.LineFormatter"}, "json": {"()": "console.web.logs.JsonLine"}},
    "filters": {
        "worth": {"()": "django.utils.log.CallbackFilter", "callback": _worth_logging},
        "number": {"()": "django.utils.log.CallbackFilter", "callback": request_id.mark},
    },
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "filters": ["worth", "number"]}
    },
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    "loggers": {
        "django.request": {"level": "ERROR"},
        "django.server": {"level": "ERROR"},
        # uvicorn's own handlers don't support LOG_FORMAT.
        "uvicorn.error": {"handlers": ["console"], "propagate": False},
        "uvicorn.access": {"level": "WARNING"},
        "celery.utils.functional": {"level": "WARNING"},
    },
}

PRODUCT_NAME = _("Operator Console")
