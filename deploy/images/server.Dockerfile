# The image of the server (control plane), with the omnigent command.
# Build the bundles first (npm run build), then from the root of the repository:
#   docker build -f deploy/images/server.Dockerfile -t omnigent-server .
ARG BASE=docker.io/library/node:24-bookworm-slim
FROM ${BASE}

RUN groupadd --gid 65532 omnigent \
 && useradd --no-log-init --uid 65532 --gid 65532 --home-dir /var/lib/omnigent --create-home --shell /usr/sbin/nologin omnigent

COPY packages/cli/package.json /opt/omnigent/package.json
COPY packages/cli/bin/ /opt/omnigent/bin/
COPY packages/cli/dist/ /opt/omnigent/dist/
RUN ln -s /opt/omnigent/bin/omnigent.js /usr/local/bin/omnigent \
 && chmod +x /opt/omnigent/bin/omnigent.js && chmod -R a+rX /opt/omnigent

# Works with a read-only root file system: only the state directory is written.
ENV HOME=/var/lib/omnigent OMNIGENT_STATE_DIR=/var/lib/omnigent NODE_ENV=production
WORKDIR /var/lib/omnigent
USER 65532:65532
EXPOSE 8080
ENTRYPOINT ["node", "/opt/omnigent/bin/omnigent.js"]
CMD ["server", "--listen", "0.0.0.0:8080"]
