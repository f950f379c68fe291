FROM python:3.13-slim

ENV PYTHONUNBUFFERED=1 ASSAYER_NO_BOOTSTRAP=1 STATIC_FILES=compressed ASSAYER_VAR=/app/var
WORKDIR /app
# run, or s3 with what media in a bucket need
ARG LOCK=run
COPY requirements/${LOCK}.txt requirements/
RUN pip install --no-cache-dir --require-hashes -r requirements/${LOCK}.txt
# packages of Debian that the operator wishes, such as ffmpeg
ARG PACKAGES=
RUN if [ -n "$PACKAGES" ]; then apt-get update && apt-get install --yes --no-install-recommends $PACKAGES \
    && rm -rf /var/lib/apt/lists/*; fi
COPY . .
# collecting files needs some key, not the key: this one is gone when the step ends
RUN SECRET_KEY="$(python -c 'import secrets; print(secrets.token_urlsafe(64))')" python manage.py collectstatic --noinput \
    && useradd --system --uid 10001 assayer \
    && install -d -o assayer -g assayer /media
USER assayer
CMD ["gunicorn", "--config", "python:config.web.gunicorn_settings", "--bind", "0.0.0.0:8000"]
