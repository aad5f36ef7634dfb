import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chromium } from '@playwright/test'
import { sql } from 'kysely'
import type { Db } from '../src/platform/db/open.ts'
import { launchOptions } from '../test/support/browser.ts'
import { freePort } from '../test/support/free-port.ts'
import { median } from './stage/measure.ts'
import { openScene } from './stage/scene.ts'
import { seedEntries, seedRuns } from './stage/seed.ts'
import { atLeast, isPassing, type Row, table } from './table.ts'

/** Lighthouse scores, medians of five runs (10 min). Arguments select screens and devices, such as `modify phone`. */
const version = '13.5.0'
const runs = 5
const forms = { phone: [], desktop: ['--preset=desktop'] }
const least = { phone: 97, desktop: 100 }
const others = ['accessibility', 'best-practices', 'seo']

const scene = await openScene()
const folder = mkdtempSync(join(tmpdir(), 'toolbox-lighthouse-'))

const entry = await scene.prepare(async (db) => {
  const ids = await seedEntries(db, 200, scene.port)
  const [first = ''] = ids
  await seedRuns(db, Date.now())
  await sql`update users set status = 2, roles = '{"Admin":2,"Tools":2}'`.execute(db.q)
  await showOnPage(db, ids.slice(0, 50))
  return first
})
const site = await scene.site()
const session = await site.ask('signIn', 'owner')

async function showOnPage(db: Db, ids: readonly string[]) {
  const page = {
    id: 'page',
    user_id: 'owner',
    slug: 'lighthouse',
    title: 'Services',
    text: '',
    created_at: 0,
    updated_at: 0,
  }
  await db.q.insertInto('status_page').values(page).execute()
  const entries = ids.map((entry_id, position) => ({ page_id: page.id, entry_id, position, show_url: 1 as const }))
  await db.q.insertInto('status_page_entry').values(entries).execute()
}

const screens = {
  home: { path: '/' },
  'sign-in': { path: '/auth/signin/user' },
  list: { path: '/tools/keepalive/viewlist', signedIn: true },
  modify: { path: `/tools/keepalive/modify?id=${entry}`, signedIn: true },
  badge: { path: '/tools/analyticsbadge' },
  status: { path: '/status/lighthouse' },
}
type Screen = { path: string; signedIn?: boolean }

/** Opens a new browser that Lighthouse controls by this port, with the owner signed in if the screen requires it. */
async function openBrowser({ signedIn }: Screen) {
  const port = await freePort()
  const { args, executablePath } = launchOptions()
  const browser = await chromium.launchPersistentContext(mkdtempSync(join(folder, 'profile-')), {
    executablePath,
    args: [...args, `--remote-debugging-port=${port}`],
  })
  if (signedIn) await browser.addCookies([{ ...session, url: scene.siteUrl }])
  return { port, close: () => browser.close() }
}

/** Percent by category. */
async function look(screen: Screen, options: readonly string[]): Promise<Record<string, number>> {
  const file = join(folder, 'report.json')
  const lighthouse = ['exec', '--yes', `--package=lighthouse@${version}`, '--', 'lighthouse']
  const url = scene.siteUrl + screen.path
  const browser = await openBrowser(screen)
  const report = ['--quiet', '--output=json', `--output-path=${file}`, `--port=${browser.port}`]
  await promisify(execFile)('npm', [...lighthouse, url, ...report, ...options], { maxBuffer: 2 ** 26 })
  await browser.close()
  const { finalDisplayedUrl, audits, categories }: Report = JSON.parse(readFileSync(file, 'utf8'))
  if (finalDisplayedUrl !== url) throw new Error(`${url} led to ${finalDisplayedUrl}.`)
  for (const { score, id, title } of Object.values(audits))
    if (score !== null && score < 0.9) console.error(`  ${id}: ${title} (${score})`)
  return Object.fromEntries(Object.entries(categories).map(([key, { score }]) => [key, Math.round(score * 100)]))
}
type Report = {
  finalDisplayedUrl: string
  categories: Record<string, { score: number }>
  audits: Record<string, { id: string; title: string; score: number | null }>
}

const words = process.argv.slice(2)
const isAsked = (name: string, all: object) => !words.some((word) => word in all) || words.includes(name)
const rows: Row[] = []
for (const [form, preset] of Object.entries(forms) as [keyof typeof forms, string[]][])
  for (const [name, screen] of Object.entries(screens)) {
    if (!isAsked(form, forms) || !isAsked(name, screens)) continue
    const scores: Record<string, number>[] = []
    for (let run = 0; run < runs; run += 1) {
      console.error(`${name} on a ${form}, ${run + 1} of ${runs}`)
      scores.push(await look(screen, preset))
    }
    const of = (category: string) => median(scores.map((score) => score[category] ?? 0))
    rows.push(atLeast(`${name}, ${form}: performance`, of('performance'), least[form], '', `${runs} runs`))
    for (const category of others)
      rows.push(atLeast(`${name}, ${form}: ${category}`, of(category), 100, '', `${runs} runs`))
  }

console.log(table(rows))
await site.ask('stop')
site.end()
scene.close()
rmSync(folder, { recursive: true, force: true })
process.exit(rows.every(isPassing) ? 0 : 1)
