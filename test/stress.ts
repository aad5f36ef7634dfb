import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { browserEnv } from './support/browser.ts'

/** Repeats browser tests in random order under load: busy cores, throttled pages, late and reordered responses. */
const usage = `npm run test:stress -- [FILES] [-g TITLE] [--times N] [--minutes N] [--workers N] [--seed N] [--calm]
  --times    how often each test runs (10)
  --minutes  after these it ends, whatever is left (30)
  --workers  how many tests run at a time (1)
  --seed     repeats the order of an earlier run
  --calm     leaves the other cores alone
Traces of failed tests are kept in .tmp/stress until the next run.`
function refuse(why: string): never {
  console.error(`${why}\n\n${usage}`)
  process.exit(2)
}

const options = {
  grep: { type: 'string', short: 'g' },
  times: { type: 'string', default: '10' },
  minutes: { type: 'string', default: '30' },
  workers: { type: 'string', default: '1' },
  seed: { type: 'string', default: String(Date.now()) },
  calm: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const
function readArguments() {
  try {
    return parseArgs({ allowPositionals: true, options })
  } catch (error) {
    return refuse((error as Error).message)
  }
}
const { values, positionals } = readArguments()
const counts = ['times', 'minutes', 'workers', 'seed'] as const
const wrong = counts.find((name) => !/^[1-9]\d*$/.test(values[name]))
if (wrong) refuse(`--${wrong} must be a whole number above 0, not ${values[wrong]}.`)
if (values.help) {
  console.log(usage)
  process.exit(0)
}

const root = dirname(import.meta.dirname)
const folder = join(root, '.tmp', 'stress')
rmSync(folder, { recursive: true, force: true })

const children: ChildProcess[] = []
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
const start = (args: string[], env = {}) => {
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } })
  children.push(child)
  return child
}

if (!values.calm) for (let core = 0; core < availableParallelism(); core++) start(['-e', 'for (;;);'])
const seed = Number(values.seed)
const deadline = Date.now() + Number(values.minutes) * 60_000
type Suite = { suites?: Suite[]; specs?: Spec[] }
type Result = { status: string; attachments: { name: string; path?: string }[] }
type Spec = { file: string; line: number; title: string; tests: { results: Result[] }[] }
type Report = Suite & { errors: { message?: string }[] }
const specsIn = ({ suites = [], specs = [] }: Suite): Spec[] => [...specs, ...suites.flatMap(specsIn)]

/** Errors outside of any test, such as of a server that ends badly. At the deadline, Playwright reports one itself. */
const stray: string[] = []
const byTest = new Map<string, { title: string; ran: number; traces: string[] }>()
// Repeats in rounds, since repeating within one run would start a new browser and a new server for each test.
for (let round = 0; round < Number(values.times) && Date.now() < deadline; round++) {
  const report = join(folder, `round-${round}.json`)
  const tests = start(
    [
      ...['node_modules/@playwright/test/cli.js', 'test', ...positionals],
      ...(values.grep === undefined ? [] : ['-g', values.grep]),
      ...['--fully-parallel', `--shuffle=${seed + round}`, '--workers', values.workers],
      ...['--output', join(folder, `results-${round}`)],
      ...['--global-timeout', String(deadline - Date.now()), '--reporter', 'line,json'],
    ],
    { ...browserEnv(), TOOLBOX_STRESS: '1', PLAYWRIGHT_JSON_OUTPUT_FILE: report },
  )
  await new Promise((ended) => tests.once('exit', ended))
  const results: Report = existsSync(report)
    ? JSON.parse(readFileSync(report, 'utf8'))
    : { errors: [{ message: 'It left no report.' }] }
  if (Date.now() < deadline) stray.push(...results.errors.map(({ message }) => `round ${round}: ${message}`))
  for (const { file, line, title, tests: runs } of specsIn(results)) {
    const place = `test/${file}:${line}`
    const tally = byTest.get(place) ?? { title, ran: 0, traces: [] }
    byTest.set(place, tally)
    for (const { status, attachments } of runs.flatMap(({ results }) => results)) {
      if (['skipped', 'interrupted'].includes(status)) continue
      tally.ran += 1
      const trace = attachments.find(({ name }) => name === 'trace')?.path
      if (status !== 'passed') tally.traces.push(trace ? relative(root, trace) : 'no trace')
    }
  }
}
const all = [...byTest.values()]
const ran = all.reduce((sum, one) => sum + one.ran, 0)
const red = [...byTest].filter(([, { traces }]) => traces.length > 0)
console.log(`\n${all.length} tests, ${ran} runs, seed ${seed}; ${red.length} failed at least once`)
for (const [place, { title, ran: of, traces }] of red)
  console.log(`  ${traces.length} of ${of}  ${place}  ${title}\n    ${traces.join('\n    ')}`)
for (const words of stray) console.log(`  outside of any test, in ${words}`)
if (red.length > 0) console.log('Look at one: node node_modules/@playwright/test/cli.js show-trace TRACE')
process.exit(red.length > 0 || stray.length > 0 || ran === 0 ? 1 : 0)
