# syntax=docker/dockerfile:1

# Runtime dependencies. Optional packages, which others can use but don't need, are left out.
FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

# Builds the page and the server, which needs all packages.
FROM node:24-slim AS built
WORKDIR /app
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY . .
COPY --from=built /app/dist ./dist
COPY --from=built /app/dist-server ./dist-server
RUN install -d -o node -g node -m 700 /data
USER node
VOLUME /data
EXPOSE 3000
# ToolBox finishes work in progress and exits within 30 seconds: docker stop -t 40
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 CMD ["node", "scripts/healthy.mjs"]
CMD ["node", "scripts/serve.mjs"]
