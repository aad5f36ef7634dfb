import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Remark } from '../tally/tally.ts'

/** What the browser tests in `test/conformance` state of ToolBox, and whether their last run saw it. */
const root = join(import.meta.dirname, '..', '..')
const reportFile = join(root, '.tmp', 'reports', 'browser.json')
const pageFile = join(root, 'docs', 'conformance.md')

type Step = { title: string; error?: unknown }
type Spec = { title: string; tests: { results: { steps?: Step[] }[] }[] }
type Suite = { file: string; specs: Spec[]; suites?: Suite[] }
/** As much as is read of Playwright's JSON report. */
export type Report = { suites: Suite[] }

const folder = 'conformance/'
const head = `# Conformance

How ToolBox behaves, one sentence a line, each looked at in a real browser. \`npm test\` fails when a line is open or when
this page is out of date; \`node test/conformance/main.ts\` writes it anew from the last run.
`

/** The page of a report: a heading a file, a table a test, a line a step. */
export function conformance({ suites }: Report): string {
  const files = suites
    .filter(({ file }) => file.startsWith(folder))
    .sort((a, b) => (basename(a.file) < basename(b.file) ? -1 : 1))
  return [head, ...files.map((suite) => [`## ${nameOf(suite)}\n`, ...specsIn(suite).map(tableOf)].join('\n'))].join(
    '\n',
  )
}

function nameOf({ file }: Suite): string {
  const name = basename(file, '.spec.ts').replaceAll('-', ' ')
  return name.charAt(0).toUpperCase() + name.slice(1)
}

const specsIn = ({ specs, suites = [] }: Suite): Spec[] => [...specs, ...suites.flatMap(specsIn)]

function tableOf({ title, tests }: Spec): string {
  const steps = tests.flatMap(({ results }) => results.at(-1)?.steps ?? [])
  const rows = steps.map((step) => `| ${step.title.replaceAll('|', '\\|')} | ${step.error ? 'open' : 'holds'} |`)
  return `### ${title}\n\n| Behaviour | Result |\n|---|---|\n${rows.join('\n')}\n`
}

/** What is wrong with the page as it was committed, beside a report. */
export function mistakesOf(committed: string, report: Report): string[] {
  const shown = conformance(report)
  const open = shown.split('\n').filter((line) => line.endsWith('| open |'))
  if (open.length > 0) return open
  return shown === committed
    ? []
    : ['It is out of date: run `node test/conformance/main.ts` and commit what it writes.']
}

const lastReport = () => JSON.parse(readFileSync(reportFile, 'utf8')) as Report

/** What is wrong with the page after the run of all browser tests; nothing when they left no report. */
export function conformanceMistakes(): Remark[] {
  if (!existsSync(reportFile)) return []
  const committed = existsSync(pageFile) ? readFileSync(pageFile, 'utf8') : ''
  return mistakesOf(committed, lastReport()).map((why) => ({ test: 'docs/conformance.md', why }))
}

if (import.meta.main) writeFileSync(pageFile, conformance(lastReport()))
