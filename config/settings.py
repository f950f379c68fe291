"""All settings; the environment sets those that differ between machines (see .env.example)."""

import os
from pathlib import Path
from urllib.parse import urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured
from redis.backoff import NoBackoff
from redis.retry import Retry

from config.deployment.environment import faults, hosts, is_local, site
from config.site.stores import media_store
from config.up.home import Home

BASE_DIR = Path(__file__).resolve().parent.parent
VERSION = (BASE_DIR / "VERSION").read_text().strip()
VAR_DIR = Path(os.environ.get("ASSAYER_VAR") or BASE_DIR / "var")
HOME = Home(VAR_DIR)

DEBUG = os.environ.get("DEBUG") == "1"
SECRET_KEY = os.environ.get("SECRET_KEY") or HOME.read_secret_key()
# Earlier keys: they read old signatures and encrypted values, and make no new ones.
SECRET_KEY_FALLBACKS = os.environ.get("SECRET_KEY_FALLBACKS", "").split()
if REFUSALS := faults({**os.environ, "SECRET_KEY": SECRET_KEY}):
    raise ImproperlyConfigured(" ".join(REFUSALS))

# --- addresses
# ---------------------------------------------------------------------------------------------
address = site(os.environ)
SITE_URL = address.geturl()
HTTPS = address.scheme == "https"
IS_LOCAL = is_local(os.environ)
ALLOWED_HOSTS = hosts(os.environ)
CSRF_TRUSTED_ORIGINS = [SITE_URL]
if os.environ.get("TRUSTED_PROXY") == "1":  # only behind a proxy that sets the header itself
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    ALLAUTH_TRUSTED_PROXY_COUNT = 1  # limits count by the address the proxy saw
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

# --- parts
# -------------------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "config.site.admin_app.SiteAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "rest_framework",
    "drf_spectacular",
    "csp",
    "config",
    "annotate",
    "pooling",
    "metrics",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "config.site.headers.HeadersMiddleware",
    "config.site.unreadable_requests.UnreadableMiddleware",
    # after the headers, so that static files carry them too
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "config.site.uploads.BodyMiddleware",  # before whatever reads forms
    "config.site.uploads.CsrfMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "config.site.second_factor.SecondFactorMiddleware",
    "config.site.uploads.ScriptedUploadMiddleware",
    "config.refused_methods.RefusedMethodMiddleware",
]
# it looks for CsrfViewMiddleware by name; ours is a subclass
SILENCED_SYSTEM_CHECKS = ["security.W003"]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": [
                "annotate.templatetags.moments",
                "annotate.templatetags.numbers",
                "annotate.templatetags.terms",
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "config.site.navigation.navigation",
                "config.site.template_context.site",
            ],
        },
    }
]

# --- database: the only truth
# ------------------------------------------------------------------------------
DATABASES = {
    "default": dj_database_url.parse(
        os.environ.get("DATABASE_URL") or HOME.database_url(),
        conn_max_age=60,
        conn_health_checks=True,
    )
}
# a page must not hang on a dead host
DATABASES["default"].setdefault("OPTIONS", {}).setdefault("connect_timeout", 5)
# of annotate/statements.py's cursors
DATABASES["default"]["OPTIONS"].setdefault("prepare_threshold", 2)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
TIME_ZONE = "UTC"
USE_TZ = True
LANGUAGE_CODE = "en-gb"

# --- Redis: messages and throw-away cache; everything here may vanish at any time
# --------------------------
REDIS_URL = os.environ.get("REDIS_URL") or HOME.redis_url
CACHES = {
    "default": {
        "BACKEND": "config.site.cache.PatientCache",
        "LOCATION": os.environ.get("CACHE_URL") or REDIS_URL,
        "KEY_PREFIX": "cache",
        "OPTIONS": {
            "SERIALIZER": "config.site.cache.UpgradeSafeSerializer",
            "IGNORE_EXCEPTIONS": True,  # a page must not need Redis
            "SOCKET_CONNECT_TIMEOUT": 0.2,
            "SOCKET_TIMEOUT": 0.2,
            # the library's own retries last seconds
            "CONNECTION_POOL_KWARGS": {"retry": Retry(NoBackoff(), 0)},
        },
    }
}

# --- Celery
# ------------------------------------------------------------------------------------------------
TASK_SECONDS = 600
LONG_TASK_SECONDS = 3600  # for tasks whose work grows with a file


def broker_url(url: str) -> str:
    """Kombu's spelling of a Redis address on a socket."""
    parts = urlsplit(url)
    if parts.scheme != "unix":
        return url
    database = parts.query.removeprefix("db=") or "0"
    return f"redis+socket://{parts.path}?virtual_host={database}"


CELERY_BROKER_URL = broker_url(REDIS_URL)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BROKER_TRANSPORT_OPTIONS = {
    # a task is not handed out again while it may still run
    "visibility_timeout": int(LONG_TASK_SECONDS * 1.1),
    "socket_connect_timeout": 0.2,
    "socket_timeout": 2.0,
    "max_retries": 0,
    "interval_start": 0,
    "interval_step": 0,
    "interval_max": 0,
}
CELERY_TASK_DEFAULT_QUEUE = "short"
LONG_TASKS = (
    "compute_rasters",
    "delete_unjudged",
    "follow_policy",
    "look_into_media",
    "make_previews",
    "perform_work",
)
CELERY_TASK_ROUTES = {
    **{f"annotate.tasks.{name}": {"queue": "long"} for name in LONG_TASKS},
    "annotate.tasks.deliver": {"queue": "webhook"},
}
CELERY_TASK_PUBLISH_RETRY = False
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_TIME_LIMIT = TASK_SECONDS
CELERY_TASK_SOFT_TIME_LIMIT = TASK_SECONDS - 30
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_MAX_MEMORY_PER_CHILD = 1_000_000  # kilobytes; the child is replaced after its task
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = "UTC"


def every(seconds: float, task: str) -> dict[str, object]:
    """An entry of the schedule.

    A run that no worker starts in time is dropped, the next one does its work.
    """
    return {"task": task, "schedule": seconds, "options": {"expires": max(seconds, 10.0)}}


CELERY_BEAT_SCHEDULE = {
    "refresh-metrics": every(5, "metrics.tasks.sweep"),
    "look-at-plans": every(60, "metrics.tasks.sweep_plans"),
    "sweep-seats": every(20, "annotate.tasks.sweep"),
    "sweep-runs": every(20, "pooling.tasks.sweep"),
    "tidy-up": every(600, "annotate.tasks.tidy"),
    "tidy-up-runs": every(600, "pooling.tasks.tidy"),
}

# --- people
# ------------------------------------------------------------------------------------------------
AUTH_USER_MODEL = "annotate.User"
AUTHENTICATION_BACKENDS = ["annotate.backends.PersonBackend"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
ACCOUNT_ADAPTER = "annotate.sign_in.accounts_adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"  # people come by invitation, not by sign-up
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_LOGOUT_ON_GET = False
# A class of annotators signs in from one address. Wrong passwords count in
# annotate.services.people.sign_in_limits; failures here are wrong codes of a second factor, counted
# by the account whose password was right.
ACCOUNT_RATE_LIMITS = {"login": "300/m/ip", "login_failed": "30/m/ip,5/5m/key"}
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_ADAPTER = "annotate.sign_in.accounts_adapter.SecondFactorAdapter"
MFA_TOTP_ISSUER = "Assayer"
MFA_ALLOW_UNVERIFIED_EMAIL = True  # nobody signs up alone, so no address was claimed by a stranger
LEADS_NEED_MFA = os.environ.get("LEADS_NEED_MFA") == "1"
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
# Without a mail server no mail is sent, and pages promise none; a log must not hold password links.
SENDS_MAIL = bool(os.environ.get("EMAIL_BACKEND") or os.environ.get("EMAIL_HOST"))
EMAIL_BACKEND = os.environ.get("EMAIL_BACKEND") or (
    "django.core.mail.backends.smtp.EmailBackend" if SENDS_MAIL else "config.site.mail.NoMail"
)
EMAIL_HOST = os.environ.get("EMAIL_HOST") or "localhost"
EMAIL_PORT = int(os.environ.get("EMAIL_PORT") or 25)
EMAIL_HOST_USER = os.environ.get("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = os.environ.get("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_TLS = os.environ.get("EMAIL_USE_TLS") == "1"
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = os.environ.get("DEFAULT_FROM_EMAIL") or "assayer@localhost"

# --- what a browser may do
# ---------------------------------------------------------------------------------
SESSION_ENGINE = "config.site.sessions"
SESSION_COOKIE_AGE = 14 * 24 * 3600
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True  # scripts read the CSRF token from the page
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"
if HTTPS:
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-sessionid", "__Host-csrftoken"
    SECURE_HSTS_SECONDS = 365 * 24 * 3600
    # Rules for other hosts of the domain, or built into browsers for years, are for people to set.
    SECURE_HSTS_PRELOAD = os.environ.get("HSTS_PRELOAD") == "1"
    SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD or os.environ.get("HSTS_SUBDOMAINS") == "1"
    SILENCED_SYSTEM_CHECKS += ["security.W005", "security.W021"]  # which ask for both of these
    SECURE_SSL_REDIRECT = True
    SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz)$"]
MEDIA_HOSTS = os.environ.get("MEDIA_HOSTS", "").split()
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "font-src": ["'self'"],
        "img-src": ["'self'", *MEDIA_HOSTS],
        "media-src": ["'self'", *MEDIA_HOSTS],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}

# --- webhooks
# ----------------------------------------------------------------------------------------------
# Receivers (host:port) that may be internal, and at http:// or another port; all others may not.
WEBHOOK_HOSTS = os.environ.get("WEBHOOK_HOSTS", "").split()

# --- files
# -------------------------------------------------------------------------------------------------
STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
MEDIA_ROOT = Path(os.environ.get("MEDIA_ROOT") or VAR_DIR / "media")
FFMPEG = os.environ.get("FFMPEG", "")  # the operator's program, which draws posters of clips
MATRICES_MAX_BYTES = int(os.environ.get("MATRICES_MAX_MB") or 4096) * 1024 * 1024  # per collection
UPLOAD_MAX_BYTES = int(os.environ.get("UPLOAD_MAX_MB") or 2048) * 1024 * 1024  # one request's files
# files of ended imports and rejected runs; 0 means for ever
KEEP_UPLOADS_DAYS = int(os.environ.get("KEEP_UPLOADS_DAYS") or 30) or 36_500
API_REQUESTS_A_MINUTE = int(os.environ.get("API_REQUESTS_A_MINUTE") or 600)  # of each token
FILE_UPLOAD_HANDLERS = ["config.site.uploads.UploadHandler"]
# plain: straight from the source folders (tests)
# hashed: collected under names that change with their content
# compressed: hashed and packed, which takes ten seconds more and pays over a network
STATIC_FILES = "plain" if DEBUG else os.environ.get("STATIC_FILES") or "hashed"
STATIC_STORAGE = {
    "plain": "django.contrib.staticfiles.storage.StaticFilesStorage",
    "hashed": "config.site.static.HashedStorage",
    "compressed": "config.site.static.CompressedStorage",
}
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": STATIC_STORAGE[STATIC_FILES]},
    **media_store(os.environ.get("MEDIA_STORAGE", "")),
}
WHITENOISE_ROOT = BASE_DIR / "static" / "at-root"  # files that browsers request at fixed addresses
WHITENOISE_USE_FINDERS = STATIC_FILES == "plain"

# --- API ------------------------------------------------------------------------------------------
REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_AUTHENTICATION_CLASSES": ["annotate.sign_in.authentication.TokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": [
        "rest_framework.permissions.IsAuthenticated",
        "config.site.second_factor.TokenNeedsSecondFactor",
        "annotate.sign_in.authentication.HasScope",
    ],
    "EXCEPTION_HANDLER": "annotate.api.problem",
    "DEFAULT_SCHEMA_CLASS": "annotate.api.schema.EndpointSchema",
    "COERCE_DECIMAL_TO_STRING": False,
    "URL_FORMAT_OVERRIDE": None,  # "format" is a parameter like another
}

SPECTACULAR_SETTINGS = {
    "TITLE": "Assayer",
    "VERSION": VERSION,
    "OAS_VERSION": "3.1.1",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "ENUM_NAME_OVERRIDES": {  # fields of one name with other choices
        "JobState": "annotate.models.work.WorkState.choices",
        "ReleaseState": "metrics.api.release_fields.STATES",
        "RunState": "pooling.models.runs.RunState.choices",
        "DownloadKind": "metrics.models.downloads.DownloadKind.choices",
        "AnnotatorOrigin": "annotate.models.people.AnnotatorOrigin.choices",
        "Role": "annotate.models.people.Role.choices",
        "AlarmKind": "metrics.models.alarms.AlarmKind.choices",
        "AlarmEventKind": "metrics.models.alarms.AlarmEventKind.choices",
        "JudgmentEventKind": "annotate.models.judgments.JudgmentEventKind.choices",
        "ConcernState": "annotate.models.guards.concerns.ConcernState.choices",
        "ConcernAct": "annotate.services.supervision.concerns.ConcernAct.choices",
        "DeliveryState": "annotate.models.programs.hooks.DeliveryState.choices",
        "HookEvent": "annotate.models.programs.hooks.HookEvent.choices",
    },
}

# --- log ------------------------------------------------------------------------------------------
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": os.environ.get("LOG_LEVEL") or "INFO"},
}
