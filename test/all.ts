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
 * `usual` tests, `all`, or with `--beyond` what only the whole run has: units and flows, and a browser at the same time. Failures stand together at the end, the last line sums up. A test that fails is tried once more; one that passes
 * only then fails the run too, but for those in quarantine.
 */
const testRun = process.argv.includes('--beyond') ? 'beyond' : process.argv.includes('usual') ? 'usual' : 'all'
const root = dirname(import.meta.dirname)
const reports = join(root, '.tmp', 'reports', ...(testRun === 'beyond' ? ['beyond'] : []))
/** Where the tests make their temporary folders; others, such as PostgreSQL's user, must be able to enter. */
const scratch = mkdtempSync(join(tmpdir(), 'toolbox-tests-'))
chmodSync(scratch, 0o755)
process.on('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }))
process.once('SIGINT', () => process.exit(130))

type Run = { name: string; file: string; args: string[]; env?: Record<string, string>; after?: Promise<unknown> }

/** Runs one part of the tests. Its output waits for `after`, since the parts run side by side. */
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
      // What it compiles, or it would be compiled anew in each run's own temporary folder.
      PWTEST_CACHE_DIR: join(root, '.tmp', 'playwright'),
    },
    after,
  })

/** Folders that tests made and did not remove. */
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
    return { passed: 0, skipped: 0, unsteady: [], failed: [{ test: 'Browser', why: String(error) }] }
  }
}

try {
  // Brought before the first test that wants it, whose patience is not for downloads.
  browserEnv()
} catch {
  // The browser's part says so.
}
// Each leaves the cores idle for a third of its time.
const inUnits = units()
const tallies = await Promise.all([inUnits, inBrowser(inUnits)])
writeConformance()
const { lines, failed } = sumUp(tallies, quarantine, leftovers())
for (const line of lines) console.log(line)
process.exit(failed > 0 ? 1 : 0)
