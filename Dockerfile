# Two images of one source, chosen by SERVICE:
#   docker build --build-arg SERVICE=controller -t swarm-operator:dev .
#   docker build --build-arg SERVICE=worker -t swarm-worker:dev .
# COMMIT and DATE are what the programs tell of themselves (--version, /internal/health). BASE_IMAGE needs Node 24 and nothing else, not even
# a shell; BUILD_IMAGE is a Debian with npm besides. Where npm needs a registry, a proxy or an authority of its own, hand its configuration
# in: --secret id=npmrc,src=$HOME/.npmrc, and --secret id=ca,src=FILE for a line `cafile=/run/secrets/ca` in it.
# A tag can be moved to another image: RELEASE, the version of a release, is refused unless both images are named as NAME@sha256:DIGEST.
ARG BASE_IMAGE=node:24-slim
ARG BUILD_IMAGE=node:24-slim
ARG SERVICE=controller
ARG RELEASE=

FROM ${BUILD_IMAGE} AS build
WORKDIR /app
ARG RELEASE
ARG BASE_IMAGE
ARG BUILD_IMAGE
RUN for image in ${RELEASE:+"$BASE_IMAGE" "$BUILD_IMAGE"}; do echo "$image" | grep -Eq '@sha256:[0-9a-f]{64}$' || { echo "RELEASE: $image is not named by its digest" >&2; exit 1; }; done
# Process 1: it passes signals on, and reaps what the children of a stream leave behind. Linked statically, it runs in any base.
RUN command -v tini-static || (apt-get update && apt-get install --yes --no-install-recommends tini)
COPY package.json package-lock.json .npmrc ./
COPY src/worker/package.json src/worker/
# No script of a package runs, here where the secret can be read, or later: the Node that builds and runs is the images' own.
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc --mount=type=secret,id=ca npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY crds crds
COPY scripts scripts
COPY src src
# What `npm run build` does, without its look whether everything is installed.
RUN node scripts/build.ts \
 && node scripts/build/image-files.ts dist/main.js /images/controller \
 && node scripts/build/image-files.ts dist/worker/main.js /images/worker

FROM ${BASE_IMAGE} AS base
COPY --from=build /usr/bin/tini-static /usr/bin/tini-static
ENV NODE_ENV=production
WORKDIR /app
USER 1000:1000

FROM base AS controller
COPY --from=build /images/controller ./
EXPOSE 8081
ENTRYPOINT ["/usr/bin/tini-static", "--", "node", "dist/main.js"]

# Runs in every pod of every pool: it carries only what it imports.
FROM base AS worker
COPY --from=build /images/worker ./
EXPOSE 9090
ENTRYPOINT ["/usr/bin/tini-static", "--", "node", "dist/worker/main.js"]

FROM ${SERVICE}
ARG SERVICE
ARG RELEASE
ARG BASE_IMAGE
ARG COMMIT=unknown
ARG DATE=unknown
ENV SWARM_BUILD_COMMIT=${COMMIT} SWARM_BUILD_DATE=${DATE}
LABEL org.opencontainers.image.title="swarm-operator ${SERVICE}" \
      org.opencontainers.image.description="Every stream on exactly one worker, and verified." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${RELEASE}" \
      org.opencontainers.image.base.name="${BASE_IMAGE}" \
      org.opencontainers.image.revision="${COMMIT}" \
      org.opencontainers.image.created="${DATE}"
