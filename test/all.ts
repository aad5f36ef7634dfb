import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { browserEnv } from './support/browser.ts'
import { testRunEnv } from './support/test-run.ts'
import { writeConformance } from './tally/conformance.ts'
import { quarantine } from './tally/quarantine.ts'
import { sumUp } from './tally/sum-up.ts'
import { leavingTallyIn, type Remark, readTally, type Tally } from './tally/tally.ts'

/**
 * Runs the `usual` tests, all, or those `--beyond` the usual; units, flows and browser tests run in parallel. A failing
 * test is retried once; if it passes then, the run still fails, unless the test is in quarantine.
 */
const testRun = process.argv.includes('--beyond') ? 'beyond' : process.argv.includes('usual') ? 'usual' : 'all'
const root = dirname(import.meta.dirname)
const reports = join(root, '.tmp', 'reports', ...(testRun === 'beyond' ? ['beyond'] : []))
/** The parent of the tests' temporary folders. Other users, such as PostgreSQL's, must be able to enter it. */
const scratch = mkdtempSync(join(tmpdir(), 'toolbox-tests-'))
chmodSync(scratch, 0o755)
process.on('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }))
process.once('SIGINT', () => process.exit(130))

type Run = { name: string; file: string; args: string[]; env?: Record<string, string>; after?: Promise<unknown> }

/** Runs one part of the tests. Since parts run in parallel, its output is held back until `after` resolves. */
async function run({ name, file, args, env = {}, after = Promise.resolve() }: Run): Promise<Tally> {
  const tally = join(reports, file)
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env, ...testRunEnv(testRun), TMPDIR: scratch, ...leavingTallyIn(tally) },
  })
  const printed = new PassThrough({ highWaterMark: 2 ** 30 })
  child.stdout.pipe(printed, { end: false })
  child.stderr.pipe(printed, { end: false })
  void after.then(() => {
    console.log(`\n${name}`)
    printed.pipe(process.stdout, { end: false })
  })
  const stop = () => child.kill('SIGTERM')
  process.once('SIGTERM', stop)
  const code = await new Promise<number>((resolve) => child.on('close', (ended) => resolve(ended ?? 1)))
  process.off('SIGTERM', stop)
  return readTally(tally, name, code)
}

const units = () =>
  run({
    name: 'Units and flows',
    file: 'units.json',
    args: [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--retry=1',
      '--reporter=default',
      '--reporter=./test/tally/of-units.ts',
    ],
  })

const browser = (after: Promise<unknown>) =>
  run({
    name: 'Browser',
    file: 'browser-tally.json',
    args: [
      'node_modules/@playwright/test/cli.js',
      'test',
      '--retries=1',
      '--reporter=list,json,./test/tally/of-browser.ts',
    ],
    env: {
      ...browserEnv(),
      PLAYWRIGHT_JSON_OUTPUT_FILE: join(reports, 'browser.json'),
      // Keeps compiled files across runs; by default they would go to the run's own temporary folder.
      PWTEST_CACHE_DIR: join(root, '.tmp', 'playwright'),
    },
    after,
  })

const leftovers = (): Remark[] =>
  readdirSync(scratch)
    .filter((name) => name.startsWith('toolbox'))
    .map((name) => ({ test: 'temporary folders', why: `${name} was left by a test` }))

rmSync(reports, { recursive: true, force: true })
mkdirSync(reports, { recursive: true })
async function inBrowser(after: Promise<unknown>): Promise<Tally> {
  try {
    return await browser(after)
  } catch (error) {
    return { passed: 0, unsteady: [], notTried: [], failed: [{ test: 'Browser', why: String(error) }] }
  }
}

try {
  // Downloads the browser before the first test that needs it, whose timeout allows for no download.
  browserEnv()
} catch {
  // The browser part reports the error.
}
// In parallel, since each part alone leaves the cores idle for a third of the time.
const inUnits = units()
const tallies = await Promise.all([inUnits, inBrowser(inUnits)])
writeConformance()
const { lines, failed } = sumUp(tallies, quarantine, leftovers())
for (const line of lines) console.log(line)
process.exit(failed > 0 ? 1 : 0)
