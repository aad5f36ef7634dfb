import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { browserEnv } from './browser.ts'

/** All tests: on both databases, then in a browser; the last line sums them up. */
const root = dirname(import.meta.dirname)
const reports = join(root, '.tmp', 'reports')
type Count = { passed: number; failed: number; skipped: number }

function run(name: string, args: string[], env: Record<string, string> = {}): Promise<number> {
  console.log(`\n${name}`)
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } })
  const stop = () => child.kill('SIGTERM')
  process.once('SIGTERM', stop)
  return new Promise((resolve) =>
    child.on('exit', (code) => {
      process.off('SIGTERM', stop)
      resolve(code ?? 1)
    }),
  )
}

/** What a report counted; a run that ended badly without saying where counts as one failure. */
function counted(file: string, code: number, read: (report: never) => Count): Count {
  const none = { passed: 0, failed: 0, skipped: 0 }
  let count = none
  try {
    count = read(JSON.parse(readFileSync(join(reports, file), 'utf8')) as never)
  } catch {
    console.error(`The tests left no report ${file}.`)
  }
  return code !== 0 && count.failed === 0 ? { ...count, failed: 1 } : count
}

async function units(): Promise<Count> {
  const file = join(reports, 'units.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const code = await run('Units and flows', ['node_modules/vitest/vitest.mjs', 'run', ...reporters])
  type Report = { numPassedTests: number; numFailedTests: number; numPendingTests: number; numTodoTests: number }
  return counted('units.json', code, (report: Report) => ({
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests + report.numTodoTests,
  }))
}

async function browser(): Promise<Count> {
  const code = await run('Browser', ['node_modules/@playwright/test/cli.js', 'test', '--reporter=list,json'], {
    ...browserEnv(),
    PLAYWRIGHT_JSON_OUTPUT_FILE: join(reports, 'browser.json'),
  })
  type Report = { stats: { expected: number; unexpected: number; flaky: number; skipped: number } }
  return counted('browser.json', code, ({ stats }: Report) => ({
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky,
    skipped: stats.skipped,
  }))
}

rmSync(reports, { recursive: true, force: true })
mkdirSync(reports, { recursive: true })
const inBrowser = async () =>
  browser().catch((error: Error) => {
    console.error(error.message)
    return { passed: 0, failed: 1, skipped: 0 }
  })
const counts = [await units(), await inBrowser()]
const sum = (of: keyof Count) => counts.reduce((total, count) => total + count[of], 0)
if (sum('skipped') > 0) console.log(`\n${sum('skipped')} skipped: that counts as failed`)
const failed = sum('failed') + sum('skipped')
console.log(`\n${sum('passed')} passed, ${failed} failed`)
process.exit(failed > 0 ? 1 : 0)
