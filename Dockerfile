# Builds with the development tools, ships with the runtime packages alone.
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm install --no-save --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev \
 && rm -f node_modules/mecab-wasm/lib/libmecab.wasm

FROM node:22-bookworm-slim
# Large buffers come straight from the system and go back to it: without this, freed memory stays with the process.
ENV MALLOC_ARENA_MAX=2 \
    MALLOC_MMAP_THRESHOLD_=262144 \
    MALLOC_TRIM_THRESHOLD_=1048576 \
    NODE_ENV=production \
    MEILI_HTTP_ADDR=0.0.0.0:7700 \
    MEILI_DB_PATH=/data/data.ms \
    MEILI_DUMP_DIR=/data/dumps \
    MEILI_SNAPSHOT_DIR=/data/snapshots \
    MEILI_MODELS_DIR=/data/models
WORKDIR /app
RUN mkdir /data && chown node:node /data
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
USER node
VOLUME /data
EXPOSE 7700
STOPSIGNAL SIGTERM
# The root file system may be mounted read-only: everything that is written lies under /data.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:7700/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/main.js"]
