import { seconds } from '../src/shared/time.ts'
import type { BareBadge } from './bare-badge.ts'
import { getRequest, type Load, load } from './load.ts'
import { median } from './measure.ts'
import { start } from './process.ts'
import { openScene } from './scene.ts'
import { atLeast, atMost, type Row, tell } from './table.ts'

const rounds = 5
const busy = { connections: 50, pipelined: 1, lasting: seconds(3) } as const
const path = '/api/v1/analyticsbadge/'
const limits = { many: 0.6, one: 0.5, p99: 10 }

/** Views of badges, each on disk before it is answered, beside a bare server that sends the same bytes and counts nothing. */
export async function badges(): Promise<Row[]> {
  const scene = await openScene()
  const bare = await start<BareBadge>('bare-badge.ts')
  try {
    const site = await scene.site()
    const barePort = await bare.ask('listen')
    await bare.ask('answer', await sample(scene.siteUrl))
    const many = await inTurns(() => pickOf(1_000))
    const one = await inTurns(() => () => 'hot')
    await site.ask('stop')
    site.end()
    return [
      ratio('badges, 1,000 tags, beside bare http', many, limits.many),
      ratio('badges, one hot tag, beside bare http', one, limits.one),
      atMost(
        'badges, 99 of 100 answered',
        median(many.map((pair) => pair.ours.p99)),
        limits.p99,
        'ms',
        '50 connections',
      ),
    ]

    async function inTurns(picker: () => () => string): Promise<{ ours: Load; bare: Load }[]> {
      const pairs: { ours: Load; bare: Load }[] = []
      for (let round = 0; round < rounds; round += 1) {
        const pick = picker()
        pairs.push({
          bare: await load(barePort, () => getRequest(barePort, path + pick()), busy),
          ours: await load(scene.sitePort, () => getRequest(scene.sitePort, path + pick()), busy),
        })
      }
      return pairs
    }
  } finally {
    await bare.ask('stop')
    bare.end()
    scene.close()
  }
}

function pickOf(tags: number): () => string {
  let next = 0
  return () => `tag_${next++ % tags}`
}

/** What the bare server is to send. */
async function sample(siteUrl: string) {
  const answer = await fetch(`${siteUrl}${path}sample`)
  const body = await answer.text()
  const { connection: _, date: __, 'keep-alive': ___, ...headers } = Object.fromEntries(answer.headers)
  return { headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) }, body }
}

function ratio(name: string, pairs: readonly { ours: Load; bare: Load }[], least: number): Row {
  const share = median(pairs.map(({ ours, bare }) => ours.perSecond / bare.perSecond))
  const [ours, bare] = [
    median(pairs.map((pair) => pair.ours.perSecond)),
    median(pairs.map((pair) => pair.bare.perSecond)),
  ]
  return atLeast(name, share, least, '×', `${tell(ours)} and ${tell(bare)} views a second`)
}
