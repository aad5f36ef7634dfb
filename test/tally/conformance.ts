import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { releaseTag } from '../support/test-run.ts'

/** The reports of the last usual run and of the last run beyond it, from which the conformance page is made. */
const reports = join(import.meta.dirname, '..', '..', '.tmp', 'reports')

type Line = { type: string; description?: string }
type Spec = { title: string; tests: { results: { annotations?: Line[] }[] }[] }
type Suite = { file: string; specs: Spec[]; suites?: Suite[] }
export type Report = { suites: Suite[] }

const head = `# Conformance

How ToolBox behaves, one sentence a line, each checked in a real browser by the last run of \`npm test\`.
`

/** Formats a report as a page: a heading per file, a table per test, a line per statement. */
export function conformance({ suites }: Report): string {
  const sections = [...Map.groupBy(suites, nameOf)].map(([name, those]) => {
    const tables = those.flatMap(specsIn).flatMap(tableOf)
    return tables.length > 0 ? [`## ${name}\n`, ...tables].join('\n') : ''
  })
  return [head, ...sections.filter(Boolean).sort()].join('\n')
}

function nameOf({ file }: Suite): string {
  const name = file
    .replace(/^[^/]*\//, '')
    .replace(/(?:\.release)?\.spec\.ts$/, '')
    .replaceAll('/', ': ')
    .replaceAll('-', ' ')
  return name.charAt(0).toUpperCase() + name.slice(1)
}

const specsIn = ({ specs, suites = [] }: Suite): Spec[] => [...specs, ...suites.flatMap(specsIn)]

function tableOf({ title, tests }: Spec): string[] {
  const lines = tests.flatMap(({ results }) => results.at(-1)?.annotations ?? [])
  const rows = lines.flatMap(({ type, description = '' }) =>
    type === 'holds' || type === 'open' ? [`| ${description.replaceAll('|', '\\|')} | ${type} |`] : [],
  )
  if (rows.length === 0) return []
  return [`### ${title.replace(releaseTag, '')}\n\n| Behaviour | Result |\n|---|---|\n${rows.join('\n')}\n`]
}

export function writeConformance(): void {
  const files = ['browser.json', 'beyond/browser.json'].map((file) => join(reports, file)).filter(existsSync)
  const suites = files.flatMap((file) => (JSON.parse(readFileSync(file, 'utf8')) as Report).suites)
  if (files.length > 0) writeFileSync(join(reports, 'conformance.md'), conformance({ suites }))
}
