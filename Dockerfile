# syntax=docker/dockerfile:1

# What the server needs at run time. Packages that others may use but don't need are optional.
FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

# The page, which needs all packages only while it is built.
FROM node:24-slim AS page
WORKDIR /app
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data NODE_COMPILE_CACHE=/app/.compiled
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY . .
COPY --from=page /app/dist ./dist
RUN install -d -o node -g node -m 700 /data /app/.compiled
USER node
# Compiled once, each start takes a third less time.
RUN node scripts/serve.mjs src/app.ts
VOLUME /data
EXPOSE 3000
# ToolBox finishes work in progress and ends within 30 seconds: docker stop -t 40
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 CMD ["node", "scripts/healthy.mjs"]
CMD ["node", "scripts/serve.mjs"]
