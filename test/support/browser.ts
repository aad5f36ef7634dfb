import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('../../scripts/find-browser.mjs', import.meta.url))

/** Finds or downloads a Chromium that runs here and returns the variables that name it. Throws if there is none. */
export function browserEnv(): Record<string, string> {
  return JSON.parse(
    execFileSync(process.execPath, [script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }),
  )
}

/** Playwright's launch options. Searches for the browser once; child processes inherit the result as variables. */
export function launchOptions() {
  if (!process.env.TOOLBOX_BROWSER) Object.assign(process.env, browserEnv())
  return {
    executablePath: process.env.TOOLBOX_BROWSER ?? '',
    args: ['--process-per-site', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  }
}
