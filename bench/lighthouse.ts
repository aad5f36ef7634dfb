import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { browserEnv } from '../test/support/browser.ts'
import { median } from './measure.ts'
import { openScene } from './scene.ts'
import { seedEntries, seedRuns } from './seed.ts'
import { atLeast, passes, type Row, table } from './table.ts'

/** Lighthouse's scores of the five main screens, on a phone and on a desktop: medians of five runs (about 15 minutes). */
const version = '13.5.0'
const runs = Number(process.argv[2] ?? 5)
const forms = { phone: [], desktop: ['--preset=desktop'] }
const least = { phone: 90, desktop: 95 }
const others = ['accessibility', 'best-practices', 'seo']

const scene = await openScene()
const folder = mkdtempSync(join(tmpdir(), 'toolbox-lighthouse-'))
const env = { ...process.env, ...browserEnv() }

const entry = await scene.prepare(async (db) => {
  const [first = ''] = await seedEntries(db, 200, scene.port)
  await seedRuns(db, Date.now())
  await sql`update users set status = 2, roles = '{"Admin":2,"Tools":2}'`.execute(db.q)
  return first
})
const site = await scene.site()
const { name, value } = await site.ask('signIn', 'owner')
const signedIn = join(folder, 'headers.json')
writeFileSync(signedIn, JSON.stringify({ cookie: `${name}=${value}` }))

const screens = {
  home: ['/'],
  'sign-in': ['/auth/signin/user'],
  list: ['/tools/keepalive/viewlist', `--extra-headers=${signedIn}`],
  modify: [`/tools/keepalive/modify?id=${entry}`, `--extra-headers=${signedIn}`],
  badge: ['/tools/analyticsbadge'],
} as const

/** Scores in percent, by category. */
async function look(path: string, options: readonly string[]): Promise<Record<string, number>> {
  const file = join(folder, 'report.json')
  const flags = '--headless=new --no-sandbox --disable-gpu --disable-background-networking --no-first-run'
  const lighthouse = ['exec', '--yes', `--package=lighthouse@${version}`, '--', 'lighthouse']
  await promisify(execFile)(
    'npm',
    [
      ...lighthouse,
      scene.siteUrl + path,
      '--quiet',
      '--output=json',
      `--output-path=${file}`,
      `--chrome-flags=${flags}`,
      ...options,
    ],
    { env: { ...env, CHROME_PATH: env.TOOLBOX_BROWSER }, maxBuffer: 2 ** 26 },
  )
  const report: Report = JSON.parse(readFileSync(file, 'utf8'))
  for (const [, { score, id, title }] of Object.entries(report.audits))
    if (score !== null && score < 0.9) console.error(`  ${id}: ${title} (${score})`)
  return Object.fromEntries(Object.entries(report.categories).map(([key, { score }]) => [key, Math.round(score * 100)]))
}
type Report = {
  categories: Record<string, { score: number }>
  audits: Record<string, { id: string; title: string; score: number | null }>
}

const rows: Row[] = []
for (const [form, preset] of Object.entries(forms) as [keyof typeof forms, string[]][])
  for (const [screen, [path, ...options]] of Object.entries(screens)) {
    const scores: Record<string, number>[] = []
    for (let run = 0; run < runs; run += 1) {
      console.error(`${screen} on a ${form}, ${run + 1} of ${runs}`)
      scores.push(await look(path, [...preset, ...options]))
    }
    const of = (category: string) => median(scores.map((score) => score[category] ?? 0))
    rows.push(atLeast(`${screen}, ${form}: performance`, of('performance'), least[form], '', `${runs} runs`))
    for (const category of others)
      rows.push(atLeast(`${screen}, ${form}: ${category}`, of(category), 100, '', `${runs} runs`))
  }

console.log(table(rows))
await site.ask('stop')
site.end()
scene.close()
rmSync(folder, { recursive: true, force: true })
process.exit(rows.every(passes) ? 0 : 1)
