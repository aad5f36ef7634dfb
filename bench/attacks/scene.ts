import { setTimeout as after } from 'node:timers/promises'
import { type Instant, type Milliseconds, seconds } from '../../src/shared/time.ts'
import { hashPassword, verifyPassword } from '../../src/sign-in/passwords/password.ts'
import { password } from '../../test/support/people.ts'
import { signIn } from '../../test/support/process.ts'
import { openDiscord } from '../relay/discord.ts'
import { median, preciseNow, quantile } from '../stage/measure.ts'
import { start } from '../stage/process.ts'
import { openScene } from '../stage/scene.ts'
import { atMost, formatFigure, type Row } from '../table.ts'
import type { Attacker } from './attacker.ts'
import { nameAt } from './internet.ts'
import type { AttackedServer } from './server.ts'

/** 20 pings a second are due. Half of their names share an address, where no owner has two pings within a second. */
const honest = { owners: 100, pings: 200, every: 50, address: '192.0.2.1' }
/** Time until an attack has its full effect. */
const swing = seconds(2)
const within = seconds(2)
/** The time between sign-ins, and the limit for each, as multiples of a password check: both scale with the machine. */
const checks = { between: 4, within: 8 }

export type AttackScene = Awaited<ReturnType<typeof openAttackScene>>
/** Starts an attack; the returned function ends it and describes its effect. */
type Attack = (scene: AttackScene) => Promise<() => Promise<{ seen: string; more?: Row[] }>>

/** Measures the lateness of other users' pings and the duration of sign-ins during an attack. */
export async function underAttack(name: string, attack: Attack): Promise<Row[]> {
  const check = await timeOfCheck()
  const scene = await openAttackScene()
  try {
    const end = await attack(scene)
    const from = Math.round(preciseNow() + swing)
    const [late, signIns] = await Promise.all([pingsOf(scene, from), signInsOf(scene, from, checks.between * check)])
    const { seen, more = [] } = await end()
    const refused = signIns.filter(({ status }) => status !== 200).length
    const slowest = refused > 0 ? Number.POSITIVE_INFINITY : Math.max(...signIns.map(({ took }) => took))
    const counted = `${signIns.length} passwords, one every ${formatFigure(checks.between * check)} ms; ${refused} refused; limit: ${checks.within} checks alone`
    return [
      atMost(`${name}: lateness p99`, quantile(late, 0.99), within, 'ms', seen),
      atMost(`${name}: slowest sign-in`, slowest, checks.within * check, 'ms', counted),
      ...more,
    ]
  } finally {
    await scene.close()
  }
}

async function openAttackScene() {
  const scene = await openScene()
  const discord = await openDiscord()
  const github = `http://127.0.0.1:${scene.port}`
  const env = {
    ...scene.env,
    PORT: String(scene.sitePort),
    TRUST_PROXY: '127.0.0.0/8',
    DISCORD_URL: discord.url,
    GITHUB_URL: github,
    GITHUB_API_URL: github,
    GITHUB_CAMO_URL: github,
  }
  const server = await start<AttackedServer>('attacks/server.ts', env)
  const attacker = await start<Attacker>('attacks/attacker.ts')
  const usernames = Array.from({ length: honest.owners }, (_, n) => `honest${n}`)
  const [eve = '', ...owners] = await server.ask('people', ['eve', ...usernames])
  const opened = {
    ...scene,
    server,
    attacker,
    discord,
    eve,
    owners,
    /** A user whose password the attacker guesses. */
    username: 'honest0',
    /** An entry of this owner, pinged every minute; honest owners use the first indexes. */
    entry: (ownerId: string, index: number, zone: string) => ({
      ownerId,
      url: `http://${nameAt(index, zone)}:${scene.port}/`,
      interval: 1,
    }),
    firstFree: honest.pings,
    async close() {
      attacker.end()
      discord.close()
      await server.end()
      scene.close()
    },
  }
  const { status } = await signInOf(opened)
  if (status !== 200) throw new Error(`The first sign-in returned ${status}.`)
  return opened
}

/** The lateness of each ping; a missing ping counts as late until now. */
async function pingsOf(scene: AttackScene, from: Instant): Promise<Milliseconds[]> {
  const { pings, every } = honest
  const due = Array.from({ length: pings }, (_, index) => from + index * every)
  const entries = due.map((_, index) =>
    scene.entry(scene.owners[index % honest.owners]!, index, index % 2 === 0 ? 'shared' : 'own'),
  )
  await scene.server.ask('seed', { entries, from, spacing: every })
  const visitedAt = new Map<number, Instant>()
  const until = from + pings * every + 2 * within
  while (visitedAt.size < pings && preciseNow() < until) {
    await after(100)
    const { seen } = await scene.target.ask('take')
    for (const { index, at } of seen) if (index < pings && !visitedAt.has(index)) visitedAt.set(index, at)
  }
  return due.map((at, index) => (visitedAt.get(index) ?? preciseNow()) - at)
}

async function timeOfCheck(): Promise<Milliseconds> {
  const hash = await hashPassword(password)
  const all: Milliseconds[] = []
  for (let round = 0; round < 5; round += 1) {
    const began = preciseNow()
    await verifyPassword({ hash, password })
    all.push(preciseNow() - began)
  }
  return median(all)
}

/** Signs in at this pace while the pings are due, without waiting for earlier answers. */
function signInsOf(scene: AttackScene, from: Instant, pace: Milliseconds) {
  const count = Math.floor((honest.pings * honest.every) / pace)
  return Promise.all(
    Array.from({ length: count }, async (_, n) => {
      await after(from + n * pace - preciseNow())
      return signInOf(scene)
    }),
  )
}

async function signInOf({ siteUrl, username }: { siteUrl: string; username: string }) {
  const began = preciseNow()
  const answer = await fetch(`${siteUrl}/api/auth/sign-in/username`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': honest.address },
    body: JSON.stringify({ username, password }),
  })
  await answer.arrayBuffer()
  return { status: answer.status, took: preciseNow() - began }
}

export const signInEve = ({ siteUrl }: AttackScene) => signIn(siteUrl, { username: 'eve', password })
