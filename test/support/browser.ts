import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('../../scripts/find-browser.mjs', import.meta.url))

/** The environment that names a Chromium which runs here, found or brought. Throws when there is none. */
export function browserEnv(): Record<string, string> {
  return JSON.parse(
    execFileSync(process.execPath, [script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }),
  )
}

/** How Playwright starts it. It is looked for once: child processes find the answer in their environment. */
export function launchOptions() {
  if (!process.env.TOOLBOX_BROWSER) Object.assign(process.env, browserEnv())
  return {
    executablePath: process.env.TOOLBOX_BROWSER ?? '',
    args: ['--process-per-site', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  }
}
