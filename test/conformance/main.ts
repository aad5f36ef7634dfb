import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { releaseTag } from '../support/test-run.ts'

/** What the browser tests in `test/conformance` state about ToolBox, and whether their last run saw it: the usual one, and what the whole run has beyond it. */
const reports = join(import.meta.dirname, '..', '..', '.tmp', 'reports')

type Step = { title: string; error?: unknown }
type Spec = { title: string; tests: { results: { steps?: Step[] }[] }[] }
type Suite = { file: string; specs: Spec[]; suites?: Suite[] }
/** As much as is read of Playwright's JSON report. */
export type Report = { suites: Suite[] }

const folder = 'conformance/'
const head = `# Conformance

How ToolBox behaves, one sentence a line, each checked in a real browser by the last run of \`npm test\`.
`

/** The page of a report: a heading a file, a table a test, a line a step. */
export function conformance({ suites }: Report): string {
  const files = Map.groupBy(
    suites.filter(({ file }) => file.startsWith(folder)),
    nameOf,
  )
  const sections = [...files].sort(([a], [b]) => (a < b ? -1 : 1))
  return [
    head,
    ...sections.map(([name, those]) => [`## ${name}\n`, ...those.flatMap(specsIn).map(tableOf)].join('\n')),
  ].join('\n')
}

function nameOf({ file }: Suite): string {
  const name = basename(file)
    .replace(/(?:\.release)?\.spec\.ts$/, '')
    .replaceAll('-', ' ')
  return name.charAt(0).toUpperCase() + name.slice(1)
}

const specsIn = ({ specs, suites = [] }: Suite): Spec[] => [...specs, ...suites.flatMap(specsIn)]

function tableOf({ title, tests }: Spec): string {
  const steps = tests.flatMap(({ results }) => results.at(-1)?.steps ?? [])
  const rows = steps.map((step) => `| ${step.title.replaceAll('|', '\\|')} | ${step.error ? 'open' : 'holds'} |`)
  return `### ${title.replace(releaseTag, '')}\n\n| Behaviour | Result |\n|---|---|\n${rows.join('\n')}\n`
}

/** Writes the page of the last runs beside their reports. */
export function writeConformance(): void {
  const files = ['browser.json', 'beyond/browser.json'].map((file) => join(reports, file)).filter(existsSync)
  const suites = files.flatMap((file) => (JSON.parse(readFileSync(file, 'utf8')) as Report).suites)
  if (files.length > 0) writeFileSync(join(reports, 'conformance.md'), conformance({ suites }))
}
