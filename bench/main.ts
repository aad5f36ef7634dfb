import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { join } from 'node:path'
import { attacks } from './attacks/attacks.ts'
import { badges } from './badges/badges.ts'
import { githubMedia } from './ghmd/ghmd.ts'
import { guarded } from './guarded.ts'
import { imports } from './imports.ts'
import { lists } from './lists/lists.ts'
import { openList } from './lists/open-list.ts'
import { usersList } from './lists/users-list.ts'
import { claims } from './pings/claims.ts'
import { overdue } from './pings/overdue.ts'
import { pings } from './pings/pings.ts'
import { relay } from './relay/relay.ts'
import { starting } from './start.ts'
import { isPassing, type Row, table } from './table.ts'

const measures = [
  starting,
  pings,
  claims,
  overdue,
  guarded,
  githubMedia,
  badges,
  relay,
  lists,
  openList,
  usersList,
  attacks,
  imports,
]
const named = process.argv.slice(2)
const unknown = named.filter((name) => !measures.some((measure) => measure.name === name))
if (unknown.length > 0) {
  console.error(`Unknown measure: ${unknown.join(', ')}. Choose from ${measures.map(({ name }) => name).join(', ')}.`)
  process.exit(1)
}

/** Every row is a figure with a limit. Where the machine matters, the limit is measured alongside the figure. */
const rows: Row[] = []
for (const measure of measures) {
  if (named.length > 0 && !named.includes(measure.name)) continue
  console.error(`measuring ${measure.name}`)
  rows.push(...(await measure()))
}
console.log(table(rows))

const machine = `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, Node ${process.versions.node}`
const results = { machine, measuredAt: new Date().toISOString(), rows }
// A subset of the rows must not replace the full results.
if (named.length === 0)
  writeFileSync(join(import.meta.dirname, 'results.json'), `${JSON.stringify(results, null, 2)}\n`)

const failed = rows.filter((row) => !isPassing(row)).length
console.log(`${rows.length - failed} passed, ${failed} failed`)
process.exit(failed > 0 ? 1 : 0)
