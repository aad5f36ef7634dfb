// Builds the web page into dist and the server into dist-server.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
// Tests that build set another NODE_ENV, which would produce a development build of React.
const env = { ...process.env, NODE_ENV: 'production' }
for (const config of ['vite.config.ts', 'vite.server.config.ts']) {
  const args = ['node_modules/vite/bin/vite.js', 'build', '--config', config, '--logLevel', 'warn']
  const { status } = spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
