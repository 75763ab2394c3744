# Domesday as an image, for linux/amd64 and linux/arm64:
#
#   docker build -t domesday .
#   docker run -p 8080:8080 -v domesday:/var/lib/domesday --read-only --tmpfs /tmp domesday
#   docker run -p 8080:8080 -e DOMESDAY_SAMPLE=serve --read-only --tmpfs /tmp domesday     # a trial, with the bundled sample
#
# The first stage makes the npm package (scripts/package.ts), which has the packages that it needs; the second has what runs: the package and
# Node, without npm. An npm configuration of your own (a registry, its token) is a secret of the build and stays out of the image:
# docker build --secret id=npmrc,src=$HOME/.npmrc -t domesday .
# docs/self-hosting.md has the rest; test/deploy/container.slow.test.ts builds it and runs it.

# Any Debian with Node 20 or later and npm, and any Debian (glibc 2.28 or later). The Node that runs comes from npm.
ARG BUILD_BASE=docker.io/library/node:24-bookworm-slim
ARG BASE=docker.io/library/debian:bookworm-slim

FROM ${BUILD_BASE} AS build
# What the image has outside of /app. Node needs libatomic, which a slim Debian lacks.
RUN ls /usr/lib/*-linux-gnu/libatomic.so.1 > /dev/null 2>&1 \
    || { apt-get update && apt-get install --yes --no-install-recommends libatomic1; }
RUN mkdir -p /image/system/usr/local/bin /image/state/lib/domesday /image/state/releases/domesday-releases /app /build \
    && cp --dereference --parents /usr/lib/*-linux-gnu/libatomic.so.1 /image/system \
    && ln -s /app/bin/domesday.js /image/system/usr/local/bin/domesday \
    && chmod 0700 /image/state/lib/domesday \
    && chown 10001:10001 /app /build
# Node finds what it has compiled by path and by user, so both are those of the image.
USER 10001:10001
ENV HOME=/tmp
WORKDIR /build
COPY --chown=10001:10001 package.json package-lock.json .npmrc ./
RUN --mount=type=secret,id=npmrc,target=/run/secrets/npmrc,uid=10001 \
    NPM_CONFIG_USERCONFIG=/run/secrets/npmrc npm ci --omit=dev --ignore-scripts
COPY --chown=10001:10001 CHANGELOG.md LICENSE README.md ./
COPY --chown=10001:10001 bin bin
COPY --chown=10001:10001 data data
COPY --chown=10001:10001 deploy deploy
COPY --chown=10001:10001 docs/guides docs/guides
COPY --chown=10001:10001 scripts/locked.ts scripts/package.ts scripts/
COPY --chown=10001:10001 src src
COPY --chown=10001:10001 web web
RUN node_modules/.bin/node scripts/package.ts && cp -r dist/package/. /app
USER 0:0
RUN cp "$(readlink -f node_modules/.bin/node)" /image/system/usr/local/bin/node
USER 10001:10001
# A first start, for Node's cache of what it has compiled; it writes that for its user alone, but here it will be root's.
RUN HOST=0.0.0.0 PORT=0 DOMESDAY_HOME=/tmp/home /image/system/usr/local/bin/node /app/bin/domesday.js serve > /tmp/start & \
    until grep -q listens /tmp/start; do kill -0 $! || exit 1; sleep 0.2; done; \
    kill $! && wait $! && chmod -R a+rX /app/node_modules/.cache

FROM ${BASE}
LABEL org.opencontainers.image.title="Domesday" \
      org.opencontainers.image.description="Self-hosted UK property-data API" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.documentation="docs/self-hosting.md" \
      org.opencontainers.image.vendor="Domesday"
COPY --from=build /image/system/ /
# A new volume takes its owner and its rights from here: the home, and where a publisher may put releases.
COPY --from=build --chown=10001:10001 /image/state/lib/ /var/lib/
COPY --from=build --chown=10001:10001 /image/state/releases/ /srv/
COPY --from=build --chown=0:0 /app /app
# By number, so that Kubernetes can see that it is not root.
USER 10001:10001
# A container is reached from outside of it. Without an account nobody can spend anything: no demo account is made here.
ENV HOST=0.0.0.0 PORT=8080 DOMESDAY_HOME=/var/lib/domesday
VOLUME /var/lib/domesday
EXPOSE 8080
STOPSIGNAL SIGTERM
# Restart it where this fails. Whether it should get calls is another question: /health/ready.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "/app/deploy/docker/health.js", "live"]
ENTRYPOINT ["domesday"]
CMD ["serve"]
