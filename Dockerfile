# Two images of one source, chosen by SERVICE:
#   docker build --build-arg SERVICE=controller -t swarm-operator:dev .
#   docker build --build-arg SERVICE=worker -t swarm-worker:dev .
# BASE_IMAGE needs Node 24 and what a shell and coreutils bring; BUILD_IMAGE needs npm besides.
ARG BASE_IMAGE=node:24-slim
ARG BUILD_IMAGE=${BASE_IMAGE}
ARG SERVICE=controller

FROM ${BUILD_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./

FROM packages AS build
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY src src
# What `npm run build` does, without its look whether everything is installed.
RUN node_modules/.bin/node scripts/build.ts

FROM packages AS production
RUN npm ci --omit=dev

FROM ${BASE_IMAGE} AS base
# Process 1. tini, where the base has it, also reaps what the children of a stream leave behind; else Node is started
# directly, and both programs handle signals themselves.
RUN ln -s "$(command -v tini || command -v env)" /usr/local/bin/init
ENV NODE_ENV=production
WORKDIR /app
# It says that the files are ES modules, and which version this is.
COPY package.json ./
USER 1000:1000

FROM base AS controller
LABEL org.opencontainers.image.title="swarm-operator"
COPY --from=production /app/node_modules node_modules
COPY crds crds
COPY --from=build /app/dist dist
EXPOSE 8081
ENTRYPOINT ["/usr/local/bin/init", "--", "node", "dist/main.js"]

# Runs in every pod of every pool, so it carries only what it imports: one package, and the part of src/api that both sides share.
FROM base AS worker
LABEL org.opencontainers.image.title="swarm-worker"
COPY --from=production /app/node_modules/js-yaml node_modules/js-yaml
COPY --from=build /app/dist/api/assignment.js /app/dist/api/objects.js /app/dist/api/report.js dist/api/
COPY --from=build /app/dist/worker dist/worker
EXPOSE 9090
ENTRYPOINT ["/usr/local/bin/init", "--", "node", "dist/worker/main.js"]

FROM ${SERVICE}
ARG COMMIT=unknown
ARG DATE=1970-01-01T00:00:00Z
LABEL org.opencontainers.image.description="Every stream on exactly one worker, and verified." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.revision="${COMMIT}" \
      org.opencontainers.image.created="${DATE}"
