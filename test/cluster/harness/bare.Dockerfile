# A shell and the usual small programs in one static file.
FROM docker.io/library/node:24-bookworm-slim AS busybox
RUN apt-get update \
 && apt-get install -y --no-install-recommends busybox-static \
 && mkdir -p /out/bin /out/tmp && chmod 1777 /out/tmp \
 && cp /bin/busybox /out/bin/ && chroot /out /bin/busybox --install -s /bin

FROM scratch
COPY --from=busybox /out/ /
