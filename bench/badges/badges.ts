import { Agent, request } from 'node:http'
import { seconds } from '../../src/shared/time.ts'
import { startPostgres } from '../../test/support/database/start-postgres.ts'
import { getRequest, load } from '../stage/load.ts'
import { median, type Usage } from '../stage/measure.ts'
import { start } from '../stage/process.ts'
import { type Measured, type Round, shareOfKeeper } from '../stage/rounds.ts'
import { openScene } from '../stage/scene.ts'
import { atMost, formatFigure, type Row } from '../table.ts'
import type { BareBadge } from './bare-badge.ts'

/** Many short rounds, because the speed of a shared machine varies. */
const rounds = 15
const busy = { connections: 50, pipelined: 1, lasting: seconds(0.5) } as const
const path = '/api/v1/analyticsbadge/'
/** Minimum share of the pace of a program that appends views to a file; ours finds out what each view adds up to. */
const leastOfKeeper = { sqlite: 0.5, postgres: 0.4 }
const p99TimesKeeper = 3
const crowd = { viewers: 200, views: 50 }

type Scene = Awaited<ReturnType<typeof openScene>>

/** Compares badge views, each on disk before its answer, with the least program that keeps the same. */
export async function badges(): Promise<Row[]> {
  const scene = await openScene()
  const bare = await start<BareBadge>('badges/bare-badge.ts')
  const barePort = await bare.ask('listen')
  const keepingPort = await bare.ask('listenAndKeep')
  const postgres = await startPostgres([])
  try {
    return [
      ...(await measure('sqlite', scene, {})),
      ...(await measure('postgres', scene, { DATABASE_URL: postgres.url })),
    ]
  } finally {
    await postgres.stop()
    await bare.ask('stop')
    bare.end()
    scene.close()
  }

  async function measure(kind: 'sqlite' | 'postgres', scene: Scene, more: Record<string, string>) {
    const { siteUrl, sitePort } = scene
    const program = await scene.site(more)
    await bare.ask('answer', await sample(siteUrl))
    const inTurns = async (pick: () => string): Promise<Round[]> => {
      const on = async (port: number, usage: () => Promise<Usage>): Promise<Measured> => {
        const { cpu } = await usage()
        const one = await load(port, () => getRequest(port, path + pick()), busy)
        return { ...one, cpu: ((await usage()).cpu - cpu) / one.count }
      }
      const ofLeast = () => bare.ask('usage')
      const all: Round[] = []
      for (let round = 0; round < rounds; round += 1)
        all.push({
          ours: await on(sitePort, () => program.ask('usage')),
          keeper: await on(keepingPort, ofLeast),
          bare: await on(barePort, ofLeast),
        })
      return all
    }
    const many = await inTurns(pickOf(1_000))
    const one = await inTurns(() => 'hot')
    const count = await crowded(sitePort)
    await program.ask('stop')
    program.end()
    const p99 = (subject: 'ours' | 'keeper') => median(many.map((round) => round[subject].p99))
    return [
      shareOfKeeper(`badges, ${kind}, 1,000 tags`, many, leastOfKeeper[kind]),
      shareOfKeeper(`badges, ${kind}, one hot tag`, one, leastOfKeeper[kind]),
      atMost(
        `badges, ${kind}, 99 of 100 answered`,
        p99('ours'),
        p99TimesKeeper * p99('keeper'),
        'ms',
        `50 connections; the least that keeps them takes ${formatFigure(p99('keeper'))} ms`,
      ),
      exactlyOnceRow(`badges, ${kind}, views lost or shown twice`, count),
    ]
  }
}

/** The numbers shown to many concurrent viewers of one tag, each of whom views it repeatedly. */
async function crowded(port: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: crowd.viewers })
  const look = () =>
    new Promise<number>((resolve, reject) => {
      request({ port, agent, path: `${path}crowd` }, (answer) => {
        answer.resume().on('end', () => resolve(Number(answer.headers['x-views'])))
      })
        .on('error', reject)
        .end()
    })
  const viewers = Array.from({ length: crowd.viewers }, async () => {
    const shown: number[] = []
    for (let view = 0; view < crowd.views; view += 1) shown.push(await look())
    return shown
  })
  const shown = (await Promise.all(viewers)).flat()
  agent.destroy()
  return shown
}

/** Passes if every number from 1 on was shown exactly once. */
function exactlyOnceRow(name: string, shown: readonly number[]): Row {
  const distinct = new Set(shown)
  const lost = shown.filter((_, index) => !distinct.has(index + 1)).length
  const twice = shown.length - distinct.size
  return {
    name,
    figure: `${lost} + ${twice}`,
    limit: '0',
    used: lost + twice === 0 ? 0 : Number.POSITIVE_INFINITY,
    seen: `${crowd.viewers} viewers, ${crowd.views} views each`,
  }
}

function pickOf(tags: number): () => string {
  let next = 0
  return () => `tag_${next++ % tags}`
}

async function sample(siteUrl: string) {
  const answer = await fetch(`${siteUrl}${path}sample`)
  const body = await answer.text()
  const { connection: _, date: __, 'keep-alive': ___, ...headers } = Object.fromEntries(answer.headers)
  return { headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) }, body }
}
