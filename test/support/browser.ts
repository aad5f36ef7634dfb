import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('../../scripts/find-browser.mjs', import.meta.url))

/** The environment that names a Chromium which runs here, found or brought. Throws when there is none. */
export function browserEnv(): Record<string, string> {
  return JSON.parse(
    execFileSync(process.execPath, [script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }),
  )
}
