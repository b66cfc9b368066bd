# The published Omnigent host image has python3 and no tini: what the sandbox runs under must not depend on it.
ARG BASE
FROM ${BASE}
USER root
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 \
 && rm /usr/bin/tini /usr/bin/tini-static
USER 1000660000:1000660000
