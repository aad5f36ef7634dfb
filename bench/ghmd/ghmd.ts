import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { sql } from 'kysely'
import { hours, type Milliseconds, seconds } from '../../src/shared/time.ts'
import { findProxiedImages } from '../../src/tools/ghmdinvalidator/discover.ts'
import { authority } from '../../test/support/fakes/certificates.ts'
import { median, preciseNow } from '../stage/measure.ts'
import { start } from '../stage/process.ts'
import { openScene } from '../stage/scene.ts'
import { planTurns, seedEntries } from '../stage/seed.ts'
import { atMost, formatFigure, type Row } from '../table.ts'
import type { Github } from './github.ts'

const entries = 10_000
const every = hours(12)
/** Time between measured runs in ms; the real pace, one every 4.3 s, would take hours to measure. */
const spacing: Milliseconds = 100
const prepareFor = seconds(8)
const idleFor = seconds(2)
const warmFor = seconds(4)
const windows = 3
const windowFor = seconds(8)

/** Measures the cost of 10,000 pages with ten images each, over TLS, and of reading the worst possible pages. */
export async function githubMedia(): Promise<Row[]> {
  return [await purging(), discovering()]
}

async function purging(): Promise<Row> {
  const scene = await openScene()
  const github = await start<Github>('ghmd/github.ts')
  try {
    const site = `https://127.0.0.1:${await github.ask('port')}`
    const ids = await scene.prepare((db) => seedEntries(db, entries, 80))
    await scene.prepare((db) =>
      sql`update entry set tool = 'ghmdinvalidator', settings = json_object('url', ${site} || '/owner/' || id)`.execute(
        db.q,
      ),
    )
    const from = Math.round(preciseNow() + prepareFor)
    await scene.prepare((db) => planTurns(db, ids, from, spacing))
    const trusted = join(scene.folder, 'authority.pem')
    writeFileSync(trusted, authority)
    const env = { GITHUB_URL: site, GITHUB_CAMO_URL: site, GITHUB_API_URL: site, NODE_EXTRA_CA_CERTS: trusted }
    const program = await scene.program('28m', env)
    await program.ask('work')
    await after(from - idleFor - seconds(1) - preciseNow())
    const resting = await program.ask('usage')
    await after(idleFor)
    const idle = await program.ask('usage')
    const idleCore = (idle.cpu - resting.cpu) / (idle.at - resting.at)
    await after(from + warmFor - preciseNow())
    await github.ask('take')
    const costs: number[] = []
    let seen = { runs: 0, purges: 0 }
    for (let window = 0; window < windows; window += 1) {
      const first = await program.ask('usage')
      await after(windowFor)
      const last = await program.ask('usage')
      seen = await github.ask('take')
      costs.push((last.cpu - first.cpu - idleCore * (last.at - first.at)) / seen.runs)
    }
    await program.ask('stop')
    program.end()
    const [run, atRest] = [median(costs), idleCore * 100]
    // Include the whole cost of the process at rest, as if it ran for these entries alone.
    const percent = atRest + (run * entries * 100) / every
    const what = `${formatFigure(run)} ms a run of ${formatFigure(seen.purges / seen.runs)} purges; ${formatFigure(atRest)} % at rest`
    return atMost('10,000 GitHub pages every 12 h', percent, 3, '% of a core', what)
  } finally {
    github.end()
    scene.close()
  }
}

const camoUrl = 'https://camo.githubusercontent.com'
const prefix = `${camoUrl}/`
const size = 5_000_000
const rounds = 25
const most = 10

const hex = (text: string) => Buffer.from(text).toString('hex')
const digest = (index: number) => index.toString(16).padStart(64, '0')
const image = (index: number, address: string) => `${prefix}${digest(index)}/${hex(address)}"`
const fillWith = (address: string) =>
  Array.from({ length: Math.ceil(size / image(0, address).length) }, (_, index) => image(index, address)).join('')
const repeated = (text: string) => text.repeat(Math.ceil(size / text.length))

const hostile: Record<string, string> = {
  'beginnings of addresses': repeated(prefix),
  'almost beginnings': repeated(prefix.slice(0, -1)),
  'digests without an address': repeated(`${prefix}${digest(1)}/`),
  'one image for ever': repeated(image(1, 'http://a.b/')),
  'two images in turn': repeated(image(1, 'http://a.b/') + image(2, 'http://a.b/')),
  'short images': fillWith('http://a.b/'),
  'common images': fillWith(`https://img.example/${'x'.repeat(60)}`),
  'long images': fillWith(`https://img.example/${'x'.repeat(2_000)}`),
  'longest images': fillWith(`https://img.example/${'x'.repeat(7_900)}`),
  'too long images': fillWith(`https://img.example/${'x'.repeat(9_000)}`),
  'addresses that are none': fillWith('ftp://a.b/'),
  'bytes that are no text': fillWith('http://a.b/').replaceAll('"', 'ff"'),
  'one address without an end': `${prefix}${digest(1)}/${repeated('61')}`,
}

/** The least work of any search of the text: one pass with indexOf that finds where each proxied URL starts. */
function pass(text: string): number {
  let count = 0
  for (let at = text.indexOf(prefix); at >= 0; at = text.indexOf(prefix, at + prefix.length)) count += 1
  return count
}

function discovering(): Row {
  const ratios = Object.entries(hostile).map(([name, written]) => {
    // Decode the text in the same way as a response body.
    const text = new TextDecoder().decode(Buffer.from(written))
    const took = { pass: Number.POSITIVE_INFINITY, discover: Number.POSITIVE_INFINITY }
    for (let round = 0; round < rounds; round += 1) {
      took.pass = Math.min(
        took.pass,
        timed(() => pass(text)),
      )
      took.discover = Math.min(
        took.discover,
        timed(() => findProxiedImages(text, camoUrl)),
      )
    }
    return { name, ratio: took.discover / took.pass, took: took.discover }
  })
  const worst = ratios.reduce((one, other) => (other.ratio > one.ratio ? other : one))
  const measured = `the worst of ${ratios.length}: ${worst.name}, ${formatFigure(worst.took)} ms`
  return atMost('finding images in hostile 5 MB', worst.ratio, most, '× indexOf', measured)
}

function timed(work: () => unknown): Milliseconds {
  const began = performance.now()
  work()
  return performance.now() - began
}
