# Builds with the development tools, ships with the runtime packages alone.
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev

FROM node:22-bookworm-slim
ENV NODE_ENV=production \
    MEILI_HTTP_ADDR=0.0.0.0:7700 \
    MEILI_DB_PATH=/data/data.ms \
    MEILI_DUMP_DIR=/data/dumps \
    MEILI_SNAPSHOT_DIR=/data/snapshots
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
