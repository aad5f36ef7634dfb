import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { type Milliseconds, minutes, seconds } from '../../src/shared/time.ts'
import { answer, medianOf, seedList } from '../lists/lists.ts'
import { openScene } from '../stage/scene.ts'
import { planTurns, seedEntries } from '../stage/seed.ts'

// Measures cost by number of keep-alive entries, for docs/performance.md. Not a gate: `node bench/growth/growth.ts`.
const sizes = [100, 1_000, 10_000, 100_000]
const every = minutes(28)
const watchedFor: Milliseconds = seconds(20)

type Cost = {
  entries: number
  /** Milliseconds, measured on the server's machine. */
  page: number
  filter: number
  home: number
  /** Megabytes of the process that serves pages, after the requests above. */
  memory: number
  /** Megabytes of the database, without any history. */
  disk: number
  /** Percent of one core for all pings, one every 28 minutes per entry. */
  pings: number
}

async function costOf(entries: number): Promise<Cost> {
  const read = await reading(entries)
  return { entries, ...read, pings: await pinging(entries) }
}

async function reading(entries: number): Promise<Omit<Cost, 'entries' | 'pings'>> {
  const scene = await openScene()
  try {
    await scene.prepare((db) => seedList(db, entries))
    const disk = scene.size() / 1e6
    const site = await scene.site()
    const { name, value } = await site.ask('signIn', 'boss')
    const list = '/api/v1/keepalive'
    const time = async (path: string) =>
      (await medianOf(() => answer(`${scene.siteUrl}${list}${path}`, `${name}=${value}`))).ms
    const page = await time('/list?page=1&size=200')
    const filter = await time('/list?page=1&size=200&filter[url]=app-77.')
    const home = (await time('/figures')) + (await time('/recent'))
    const memory = (await site.ask('usage')).rss / 1e6
    await site.ask('stop')
    site.end()
    return { page, filter, home, memory, disk }
  } finally {
    scene.close()
  }
}

async function pinging(entries: number): Promise<number> {
  const scene = await openScene()
  try {
    const spacing = every / entries
    await scene.prepare(async (db) => {
      const ids = await seedEntries(db, entries, scene.port)
      await planTurns(db, ids, Date.now() + seconds(2), spacing)
    })
    const program = await scene.program('28m')
    await program.ask('work')
    await after(seconds(5))
    const before = await program.ask('usage')
    await after(watchedFor)
    const { cpu } = await program.ask('usage')
    await program.ask('stop')
    program.end()
    return ((cpu - before.cpu) / watchedFor) * 100
  } finally {
    scene.close()
  }
}

const costs: Cost[] = []
for (const size of sizes) {
  console.error(`measuring ${size.toLocaleString('en')} entries`)
  costs.push(await costOf(size))
}
writeFileSync(join(import.meta.dirname, 'growth.json'), `${JSON.stringify(costs, null, 2)}\n`)
console.table(costs)
process.exit(0)
