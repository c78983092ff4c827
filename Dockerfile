# One image for all processes; the command decides: dist/worker/with-api.js holds the API and a worker, dist/src/main.js
# the API alone, dist/worker/main.js a worker alone.

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev

FROM node:24-slim
# TLS to Temporal Cloud, MongoDB and the operators needs the system's authorities, which the slim image lacks.
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
# Without ENVIRONMENT the service takes itself for a local sandbox.
ENV NODE_ENV=production ENVIRONMENT=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
# glibc keeps a heap for each thread otherwise: docs/operations.md, "Memory of a worker".
ENV MALLOC_ARENA_MAX=2
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/sandbox/tenants.json ./sandbox/tenants.json
COPY --from=build /app/sandbox/game/page ./sandbox/game/page
# Secrets that the environment does not give are kept here, and belong to the user that the processes run as.
RUN install -d -o node -g node -m 700 /data
VOLUME /data
USER node
EXPOSE 8080
CMD ["node", "--enable-source-maps", "dist/worker/with-api.js"]
