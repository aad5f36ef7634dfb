import { get } from 'node:http'
import { setTimeout as after } from 'node:timers/promises'
import type { Instant, Milliseconds } from '../src/shared/time.ts'
import { hostAt } from './hosts.ts'
import { preciseNow, usage } from './measure.ts'
import { serve } from './process.ts'

/** The least a pinger can do: a timer, a connection and a GET at each due time. It remembers nothing. */
function ping(port: number, index: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { host: hostAt(index), port, agent: false, headers: { connection: 'close' } }
    get(options, (answer) => answer.resume().on('end', resolve)).on('error', reject)
  })
}

const api = {
  /** Pings `count` targets, one every `spacing` ms from `from` on; answers the CPU time of all of it in ms. */
  async run(the: { port: number; from: Instant; spacing: Milliseconds; count: number }): Promise<Milliseconds> {
    const before = usage()
    const pings: Promise<void>[] = []
    for (let index = 0; index < the.count; index += 1) {
      await after(Math.max(0, the.from + index * the.spacing - preciseNow()))
      pings.push(ping(the.port, index))
    }
    await Promise.all(pings)
    return usage().cpu - before.cpu
  },
}
export type Bare = typeof api

serve(api)
