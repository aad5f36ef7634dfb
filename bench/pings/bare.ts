import { get } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as after } from 'node:timers/promises'
import type { Instant, Milliseconds } from '../../src/shared/time.ts'
import { hostAt } from '../stage/hosts.ts'
import { preciseNow, usage } from '../stage/measure.ts'
import { serve } from '../stage/process.ts'

/** The minimal pinger that loses nothing: a timer, a connection and a GET per ping, four durable writes a second. */
const writeEvery = 250
const database = new DatabaseSync(join(process.env.BARE_FOLDER ?? '.', 'bare.db'))
database.exec('pragma journal_mode = wal; pragma synchronous = full; create table run (target integer, at integer)')
const insert = database.prepare('insert into run values (?, ?)')
let unwritten: number[] = []

function write() {
  database.exec('begin')
  for (const index of unwritten) insert.run(index, Math.round(preciseNow()))
  database.exec('commit')
  unwritten = []
}

function ping(port: number, index: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { host: hostAt(index), port, agent: false, headers: { connection: 'close' } }
    get(options, (answer) => {
      answer.resume().on('end', resolve)
      unwritten.push(index)
    }).on('error', reject)
  })
}

type Plan = { port: number; first: number; from: Instant; spacing: Milliseconds; count: number }

const api = {
  /** Pings `count` hosts from `first` on, one every `spacing` ms; returns the total CPU time. */
  async run({ port, first, from, spacing, count }: Plan): Promise<Milliseconds> {
    const before = usage()
    const writing = setInterval(write, writeEvery)
    const pings: Promise<void>[] = []
    for (let index = 0; index < count; index += 1) {
      await after(Math.max(0, from + index * spacing - preciseNow()))
      pings.push(ping(port, first + index))
    }
    await Promise.all(pings)
    clearInterval(writing)
    return usage().cpu - before.cpu
  },
}
export type Bare = typeof api

serve(api)
