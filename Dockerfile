# Three parts: Node and the built server on a small Debian, nothing else. `docker buildx build --platform linux/amd64,linux/arm64`
# makes it for other processors without emulating them: nothing runs in the last stage.
FROM --platform=$BUILDPLATFORM node:22-bookworm-slim AS build
# Where it will lie: what the engine made of the code is kept for that place only.
WORKDIR /app
COPY . .
RUN npm run setup
# With the binaries for every machine, since this stage may run on another one.
RUN npm run build -- --all
# Binaries for other systems, processors and versions of Node stay behind.
ARG TARGETARCH
RUN arch=$(echo "$TARGETARCH" | sed s/amd64/x64/) && abi=$(node --print process.versions.modules) \
 && find dist/native -name '*.node' -not -name "*-linux-$arch-glibc*" -delete \
 && find dist/native -name '*-abi*' -not -name "*-abi$abi.node" -delete \
 && mkdir -p /image/app /image/usr/local/bin /empty \
 && cp -R dist package.json LICENSE /image/app/ \
 && ln -s /app/dist/launch.js /image/usr/local/bin/sabre-search

FROM node:22-bookworm-slim AS node

FROM debian:bookworm-slim
ARG VERSION
LABEL org.opencontainers.image.title="Sabre" \
      org.opencontainers.image.description="A search server behind the Meilisearch HTTP interface" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="$VERSION"
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=build /image/ /
COPY --from=build --chown=10001:10001 /empty /data
# Everything that is written lies under /data: the root file system may be read-only.
ENV MEILI_HTTP_ADDR=0.0.0.0:7700 \
    MEILI_DB_PATH=/data/data.ms \
    MEILI_DUMP_DIR=/data/dumps \
    MEILI_SNAPSHOT_DIR=/data/snapshots \
    MEILI_MODELS_DIR=/data/models
# Without them the program starts itself once more to have them.
ENV MALLOC_ARENA_MAX=2 \
    MALLOC_MMAP_THRESHOLD_=262144 \
    MALLOC_TRIM_THRESHOLD_=1048576
WORKDIR /data
# By number, so that an orchestrator can see that it is not root.
USER 10001:10001
VOLUME /data
EXPOSE 7700
STOPSIGNAL SIGTERM
# Asks where the environment says that the server listens.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 CMD ["sabre-search", "health"]
ENTRYPOINT ["sabre-search"]
