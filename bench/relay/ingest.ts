import type { Agent } from 'node:http'
import { setTimeout as after } from 'node:timers/promises'
import { type Milliseconds, seconds } from '../../src/shared/time.ts'
import { load } from '../stage/load.ts'
import { preciseNow, quantile, type Usage } from '../stage/measure.ts'
import { type Started, start } from '../stage/process.ts'
import { type Measured, type Round, shareOfKeeper } from '../stage/rounds.ts'
import { atMost, formatFigure, type Row } from '../table.ts'
import type { BareHook } from './bare-hook.ts'
import type { BareKeeper } from './bare-keeper.ts'
import { buildPost, bytesOf, send } from './posts.ts'

const rounds = 5
const busy = { connections: 100, pipelined: 1, lasting: seconds(1) } as const
/** More than any server accepts in a round. */
const postsARound = 60_000
/** Minimum share of the bare storing receiver's pace; one that only answers is about four times faster than that. */
const leastOfKeeper = 0.4
const paced = { first: 250, count: 2_000, every: 2 }
const p99TimesKeeper = 4

type Usable = { usage: () => Usage }
type Subject = { port: number; usage(): Promise<Usage> }

/** The relay as Heroku sees it while Discord hangs: response times and maximum pace. `env` is for the bare keeper. */
export async function ingest(
  kind: 'sqlite' | 'postgres',
  ours: Subject & { paths: readonly string[]; router: Agent },
  env: Record<string, string>,
): Promise<Row[]> {
  const bare = await start<BareHook>('relay/bare-hook.ts')
  const keeper = await start<BareKeeper>('relay/bare-keeper.ts', env)
  const { paths, router } = ours
  try {
    const subjects = {
      ours,
      keeper: subject(keeper, await keeper.ask('listen')),
      bare: subject(bare, await bare.ask('listen')),
    }
    const answered = await measureAtPace(ours.port, { paths, router })
    const kept = await measureAtPace(subjects.keeper.port, { paths, router })
    const all: Round[] = []
    for (let round = 0; round < rounds; round += 1) all.push(await inTurns(subjects, paths))
    return [pace(kind, answered, kept), shareOfKeeper(`relay, ${kind}, deliveries`, all, leastOfKeeper)]
  } finally {
    for (const one of [bare, keeper]) {
      await one.ask('stop')
      one.end()
    }
  }
}

const subject = <A extends Usable & Record<string, (argument: never) => unknown>>(
  started: Started<A>,
  port: number,
): Subject => ({
  port,
  usage: () => started.ask('usage') as Promise<Usage>,
})

/** Measures response times at a steady pace, without waiting for earlier responses. */
async function measureAtPace(port: number, by: { paths: readonly string[]; router: Agent }): Promise<Milliseconds[]> {
  await keep(paced.first)
  return keep(paced.count)

  function keep(count: number): Promise<Milliseconds[]> {
    const posts = Array.from({ length: count }, (_, index) => buildPost(by.paths[index % by.paths.length]!))
    // Start a little later, so that every post is waiting by its due time and the first ones aren't sent together.
    const began = preciseNow() + 100
    const answers = posts.map(async (post, index) => {
      await after(Math.max(0, began + index * paced.every - preciseNow()))
      const sent = preciseNow()
      await send(port, by.router, post)
      return preciseNow() - sent
    })
    return Promise.all(answers)
  }
}

function pace(kind: string, answered: readonly Milliseconds[], kept: readonly Milliseconds[]): Row {
  const least = quantile(kept, 0.99)
  return atMost(
    `relay, ${kind}, 99 of 100 answered`,
    quantile(answered, 0.99),
    p99TimesKeeper * least,
    'ms',
    `${1_000 / paced.every} a second while Discord hangs; the least that keeps them takes ${formatFigure(least)} ms`,
  )
}

async function inTurns(subjects: Record<keyof Round, Subject>, paths: readonly string[]): Promise<Round> {
  const onto = async ({ port, usage }: Subject): Promise<Measured> => {
    // As bytes outside the JavaScript heap, because garbage collection would delay the measuring process.
    const posts = Array.from({ length: postsARound }, (_, index) =>
      Buffer.from(bytesOf(port, buildPost(paths[index % paths.length]!))),
    )
    let next = 0
    const before = await usage()
    const one = await load(port, () => posts[next++ % postsARound]!, busy)
    return { ...one, cpu: ((await usage()).cpu - before.cpu) / next }
  }
  return { bare: await onto(subjects.bare), ours: await onto(subjects.ours), keeper: await onto(subjects.keeper) }
}
