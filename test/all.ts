import { spawn } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { conformanceMistakes } from './conformance/main.ts'
import { browserEnv } from './support/browser.ts'
import { leavingTallyIn, type Remark, readTally, type Tally } from './tally/tally.ts'

/**
 * All tests: on both databases, then in a browser. Failures stand together at the end, the last line sums up.
 * A test that fails is tried once more; one that passes only then is named, for it has to be mended too.
 */
const root = dirname(import.meta.dirname)
const reports = join(root, '.tmp', 'reports')

async function run(name: string, file: string, args: string[], env: Record<string, string> = {}): Promise<Tally> {
  console.log(`\n${name}`)
  const tally = join(reports, file)
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env, ...leavingTallyIn(tally) },
  })
  const stop = () => child.kill('SIGTERM')
  process.once('SIGTERM', stop)
  const code = await new Promise<number>((resolve) => child.on('exit', (ended) => resolve(ended ?? 1)))
  process.off('SIGTERM', stop)
  return readTally(tally, name, code)
}

const units = () =>
  run('Units and flows', 'units.json', [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--retry=1',
    '--reporter=default',
    '--reporter=./test/tally/of-units.ts',
  ])

const browser = () =>
  run(
    'Browser',
    'browser-tally.json',
    ['node_modules/@playwright/test/cli.js', 'test', '--retries=1', '--reporter=list,json,./test/tally/of-browser.ts'],
    { ...browserEnv(), PLAYWRIGHT_JSON_OUTPUT_FILE: join(reports, 'browser.json') },
  )

function list(title: string, remarks: readonly Remark[]): void {
  if (remarks.length === 0) return
  console.log(`\n${title}`)
  for (const { test, why } of remarks) console.log(`\n- ${test}\n${why.replaceAll(/^/gm, '    ')}`)
}

rmSync(reports, { recursive: true, force: true })
mkdirSync(reports, { recursive: true })
const inBrowser = async (): Promise<Tally> =>
  browser().catch((error: Error) => ({
    passed: 0,
    skipped: 0,
    unsteady: [],
    failed: [{ test: 'Browser', why: error.message }],
  }))

const tallies = [await units(), await inBrowser()]
const unsteady = tallies.flatMap((tally) => tally.unsteady)
const failures = [...tallies.flatMap((tally) => tally.failed), ...conformanceMistakes()]
const skipped = tallies.reduce((sum, tally) => sum + tally.skipped, 0)
const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0)

list('Passed at the second try only:', unsteady)
list('Failed:', failures)
if (skipped > 0) console.log(`\n${skipped} skipped: that counts as failed`)
console.log(`\n${passed} passed, ${failures.length + skipped} failed`)
process.exit(failures.length + skipped > 0 ? 1 : 0)
