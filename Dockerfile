# docker build .   after `cargo xtask package` has built the program for this platform
# docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/site" pagekin build public -o public/pagekin
FROM scratch
ARG TARGETARCH
COPY --chmod=755 target/packages/docker/${TARGETARCH}/pagekin /pagekin
WORKDIR /site
ENTRYPOINT ["/pagekin"]
LABEL org.opencontainers.image.title="pagekin" \
      org.opencontainers.image.source="https://github.com/pagekin/pagekin" \
      org.opencontainers.image.licenses="MIT"
