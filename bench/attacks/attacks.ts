import { setTimeout as after } from 'node:timers/promises'
import * as z from 'zod/mini'
import { seconds } from '../../src/shared/time.ts'
import { secret } from '../relay/posts.ts'
import { formatFigure, type Row } from '../table.ts'
import type { Answers } from './attacker.ts'
import { type AttackScene, signInEve, underAttack } from './scene.ts'

const silentEntries = 1_000
const slowEntries = 500
const mostEvents = 10_000
/** Events parked before the attack, which posts the others. */
const parkedEvents = 8_000
const connections = 20
/** A tenth of `BADGE_NEW_TAGS_PER_HOUR`. */
const mostNewTags = 1_000
const guessesInFlight = 10

/** Measures how much other users suffer while one user or visitor tries to exhaust the server. */
export async function attacks(): Promise<Row[]> {
  return [
    ...(await underAttack('1,000 entries whose name servers are silent', silentNames)),
    ...(await underAttack('500 entries and Run now on one slow address', slowAddress)),
    ...(await underAttack('a full relay and new badge tags', fullStorage)),
    ...(await underAttack('guessed passwords', guesses)),
  ]
}

/** Half of the names are in one zone, each of the others in its own zone. */
async function silentNames(scene: AttackScene) {
  const entries = Array.from({ length: silentEntries }, (_, n) =>
    scene.entry(scene.eve, scene.firstFree + n, n % 2 === 0 ? 'silent' : `silent${n}`),
  )
  await scene.server.ask('seed', { entries, from: Date.now(), spacing: 0 })
  return async () => ({ seen: '500 under one zone, 500 under zones of their own' })
}

async function slowAddress(scene: AttackScene) {
  await scene.target.ask('answerAfter', seconds(1))
  const headers = await signInEve(scene)
  const entries = Array.from({ length: slowEntries }, (_, n) => scene.entry(scene.eve, scene.firstFree + n, 'shared'))
  const ids = await scene.server.ask('seed', { entries, from: Date.now(), spacing: 0 })
  await scene.attacker.ask('begin', [{ kind: 'runs', port: scene.sitePort, connections: 1, ids, headers }])
  return async () => {
    const [runs] = await scene.attacker.ask('end')
    return { seen: `it answers after 1 s, half of the others are there too; Run now ${formatStatuses(runs!)}` }
  }
}

async function fullStorage(scene: AttackScene) {
  const path = await createRelay(scene)
  await scene.server.ask('park', parkedEvents)
  scene.discord.hang()
  const port = scene.sitePort
  await scene.attacker.ask('begin', [
    { kind: 'events', port, connections, path },
    { kind: 'new tags', port, connections, from: '203.0.113.7' },
  ])
  const others = newTagsOfOthers(scene)
  return async () => {
    const [events, tags] = await scene.attacker.ask('end')
    const refused = await others()
    return {
      seen: 'over 20 connections each',
      more: [
        refusals('a full relay', events!, { status: 204, most: mostEvents - parkedEvents }),
        refusals('new badge tags of one network', tags!, { status: 200, most: mostNewTags }),
        zeroRow('new badge tags of another network meanwhile: refused', refused.refused, `${refused.count} asked for`),
      ],
    }
  }
}

/** Ten concurrent guesses each from four networks for one account, and ten from a fifth network for new usernames. */
async function guesses({ attacker, sitePort: port, username }: AttackScene) {
  const networks = ['198.51.100.7', '203.0.113.7', '2001:db8:1::7', '2001:db8:2::7']
  await attacker.ask('begin', [
    ...networks.map((from) => ({ kind: 'guesses' as const, port, connections: guessesInFlight, from, username })),
    { kind: 'guesses', port, connections: guessesInFlight, from: '192.0.3.7' },
  ])
  return async () => {
    const all = await attacker.ask('end')
    const names = all.pop()!
    return { seen: `50 in flight; one account ${formatStatuses(...all)}; new names ${formatStatuses(names)}` }
  }
}

const Relay = z.object({ herokuEndpoint: z.string() })

/** Creates a relay for Eve; returns the path that Heroku posts to. */
async function createRelay(scene: AttackScene): Promise<string> {
  const discordHook = `https://discord.com/api/webhooks/100000000000000000/${'a'.repeat(68)}`
  const answer = await fetch(`${scene.siteUrl}/api/v1/herokudiscordwebhook`, {
    method: 'POST',
    headers: { ...(await signInEve(scene)), 'content-type': 'application/json' },
    body: JSON.stringify({ discordHook, secret }),
  })
  return new URL(Relay.parse(await answer.json()).herokuEndpoint).pathname
}

/** Requests a new tag every half second from another network; the returned function ends this and counts refusals. */
function newTagsOfOthers({ siteUrl }: AttackScene) {
  let isOver = false
  const all = (async () => {
    let [count, refused] = [0, 0]
    for (; !isOver; count += 1) {
      const headers = { 'x-forwarded-for': '192.0.2.1' }
      const answer = await fetch(`${siteUrl}/api/v1/analyticsbadge/honest_${count}`, { headers })
      await answer.arrayBuffer()
      if (answer.headers.get('x-views') !== '1') refused += 1
      await after(seconds(0.5))
    }
    return { count, refused }
  })()
  return () => {
    isOver = true
    return all
  }
}

/** Describes the answers to all floods together, such as `2 × 401, 1,200 × 429`. */
function formatStatuses(...floods: readonly Answers[]): string {
  const codes = new Set(floods.flatMap(({ statuses }) => Object.keys(statuses).map(Number)))
  const count = (code: number) => floods.reduce((sum, { statuses }) => sum + (statuses[code] ?? 0), 0)
  return [...codes].map((code) => `${formatFigure(count(code))} × ${code}`).join(', ')
}

const zeroRow = (name: string, count: number, measured: string): Row => ({
  name,
  figure: String(count),
  limit: '0',
  used: count === 0 ? 0 : Number.POSITIVE_INFINITY,
  seen: measured,
})

/** Passes if exactly `most` answers have this status and all others are a 429 with Retry-After. */
function refusals(what: string, answers: Answers, { status, most }: { status: number; most: number }): Row {
  const { statuses, saidWhen } = answers
  const accepted = statuses[status] ?? 0
  const all = Object.values(statuses).reduce((sum, count) => sum + count, 0)
  const row = zeroRow(
    `${what}: answers but ${status} and 429 with Retry-After`,
    all - accepted - saidWhen,
    formatStatuses(answers),
  )
  return accepted === most && saidWhen > 0 ? row : { ...row, used: Number.POSITIVE_INFINITY }
}
