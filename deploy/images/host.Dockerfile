# The image of a sandbox: what a program usually needs, and the host that runs as its entrypoint.
# Build the bundles first (npm run build), then from the root of the repository:
#   docker build -f deploy/images/host.Dockerfile -t omnigent-host .
ARG BASE=docker.io/library/node:24-bookworm-slim
FROM ${BASE}

# tini reaps orphans as PID 1; git, ssh and certificates are for clones; procps is for people.
RUN apt-get update \
 && apt-get install -y --no-install-recommends tini git openssh-client bash ca-certificates procps \
 && rm -rf /var/lib/apt/lists/*

# The uid must exist in passwd, or whoami and git commit fail. --no-log-init: lastlog would become a huge sparse file.
RUN groupadd --gid 1000660000 sandbox \
 && useradd --no-log-init --uid 1000660000 --gid 1000660000 --home-dir /home/omnigent --create-home --shell /bin/bash sandbox

COPY deploy/images/host/gitconfig /etc/gitconfig
COPY --chmod=755 deploy/images/host/git-credential-omnigent /usr/local/bin/git-credential-omnigent
COPY --chmod=755 deploy/images/host/omnigent /usr/local/bin/omnigent
COPY --chmod=755 deploy/images/host/inject /opt/omnigent/inject
COPY packages/cli/dist/host/ /opt/omnigent/host/
COPY node_modules/@lydell/ /opt/omnigent/host/node_modules/@lydell/

# The compiled code of the host, so that a sandbox does not compile it at every start.
RUN NODE_COMPILE_CACHE=/opt/omnigent/compile-cache node /opt/omnigent/host/main.js --version \
 && chmod -R a+rX /opt/omnigent

ENV HOME=/home/omnigent
WORKDIR /home/omnigent
USER 1000660000:1000660000
ENTRYPOINT ["tini", "-s", "--", "omnigent", "host"]
