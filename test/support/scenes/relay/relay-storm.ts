import { setTimeout as pause } from 'node:timers/promises'
import { type Milliseconds, seconds } from '../../../../src/shared/time.ts'
import { signatureOf } from '../../../../src/tools/herokudiscordwebhook/hook.ts'
import { type FakeDiscord, type FakeHook, fakeDiscord } from '../../fakes/fake-discord.ts'
import { freePort } from '../../free-port.ts'
import { adminEnv, signedInClient, startProcess } from '../../process.ts'
import { deployEvents } from './deploy-events.ts'
import { release } from './relay.ts'

type Storm = {
  webhooks: number
  /** Per webhook. */
  events: number
  kills: number
  /** Average time between two events of a webhook. */
  every: Milliseconds
  env: Record<string, string>
  /** Whether every other entry shows one card per deploy and gets events for its beginning and its end. */
  cards?: boolean
  /** Runs before another server takes over from a killed one. */
  inherit?: () => Promise<void>
}
/** Events that were `lost`, relayed `again` because in flight at a kill, or relayed `twice` without that reason. */
type Survived = {
  accepted: number
  lost: number
  twice: number
  again: number
  disorder: number
  /** Deploys without a card that shows their release. */
  unfinished: number
}

/** Retry delays, short enough for a test and numerous enough to outlast the outage. */
const patience = Array(60).fill('1s').join()
const longest = seconds(90)
const burst = 4

/** Delivers as Heroku does, retrying, while the server is killed. Discord fails between the first and second kill. */
export async function relayStorm({
  webhooks,
  events,
  kills,
  every,
  env,
  inherit,
  cards = false,
}: Storm): Promise<Survived> {
  const discord = await fakeDiscord()
  const hasCards = (index: number) => cards && index % 2 === 1
  const start = async (port: number) =>
    startProcess({
      ...adminEnv,
      RELAY_RETRY: patience,
      PORT: String(port),
      ...discord.env,
      ...env,
    })
  const port = await freePort()
  let server = await start(port)
  let accepted = 0
  let onAccepted = () => {}
  /** Resolves as soon as this many events are accepted, so that a kill directly follows other responses. */
  const acceptedAre = (count: number) =>
    new Promise<void>((resolve) => {
      onAccepted = () => {
        if (accepted >= count) resolve()
      }
    })
  try {
    const hooks = Array.from({ length: webhooks }, () => discord.webhook())
    const call = await signedInClient(server.url)
    const heroku = await Promise.all(
      hooks.map(async (hook, index) => {
        const settings = { discordHook: hook.url, card: hasCards(index) }
        const { body } = await call<Made>('POST', '/api/v1/herokudiscordwebhook', settings)
        return herokuOf(server.url, body)
      }),
    )
    const delivering = heroku.map(async (deliver, index) => {
      for (let version = 1; version <= events; version += 1) {
        for (const event of eventsOf(version, hasCards(index))) await deliver(event)
        accepted += 1
        onAccepted()
        // Bursts with pauses: a kill interrupts some deliveries on their way in and others on their way out.
        if (version % burst === 0) await pause(every * burst)
      }
    })
    const inFlight = new Map(hooks.map((hook) => [hook, new Set<number>()]))
    for (let kill = 1; kill <= kills; kill += 1) {
      await acceptedAre((webhooks * events * kill) / (kills + 1))
      await server.end('SIGKILL')
      await inherit?.()
      for (const [hook, last] of inFlight) last.add(versionsOf(discord, hook).at(-1) ?? 0)
      if (kill <= 2) for (const hook of hooks) discord.answers(hook, kill === 1 ? 'broken' : 'ok')
      server = await start(port)
    }
    await Promise.all(delivering)
    const unfinished = () =>
      hooks.reduce((sum, hook, index) => sum + (hasCards(index) ? events - releasedBy(discord, hook) : 0), 0)
    await until(() => hooks.every((hook) => new Set(versionsOf(discord, hook)).size === events) && unfinished() === 0)
    const outcomes = hooks.map((hook) => compare(versionsOf(discord, hook), events, inFlight.get(hook)!))
    const sum = (of: keyof ReturnType<typeof compare>) => outcomes.reduce((total, outcome) => total + outcome[of], 0)
    const repeats = { again: sum('again'), twice: sum('twice') }
    return { accepted, lost: sum('lost'), ...repeats, disorder: sum('disorder'), unfinished: unfinished() }
  } finally {
    await server.end('SIGKILL')
    await discord.close()
  }
}

type Made = { herokuEndpoint: string; secret: string }

/** Returns a function that delivers an event to an endpoint, retrying until it is accepted. */
function herokuOf(url: string, { herokuEndpoint, secret }: Made) {
  const address = url + new URL(herokuEndpoint).pathname
  return async (event: object) => {
    const body = JSON.stringify(event)
    const headers = { 'heroku-webhook-hmac-sha256': signatureOf(secret, Buffer.from(body)) }
    const post = () =>
      fetch(address, { method: 'POST', headers, body }).then(
        ({ status }) => status,
        () => 0,
      )
    while ((await post()) !== 204) await pause(200)
  }
}

function eventsOf(version: number, isDeploy: boolean): object[] {
  const { releasePending, releaseSucceeded } = deployEvents({ version })
  return isDeploy ? [releasePending, releaseSucceeded] : [release(version)]
}

/** The number of releases that a card shows as released. */
const releasedBy = (discord: FakeDiscord, hook: FakeHook): number =>
  new Set(
    discord.currentMessages(hook).flatMap(({ message: { embeds = [] } }) => {
      const title = String(embeds[0]?.title)
      return title.endsWith(' released') ? [title] : []
    }),
  ).size

const versionsOf = (discord: FakeDiscord, hook: FakeHook): number[] =>
  discord.postedTitles(hook).map((title) => Number(/v(\d+)/.exec(String(title))?.[1]))

function compare(versions: readonly number[], events: number, inFlight: ReadonlySet<number>) {
  const firsts = [...new Set(versions)]
  const repeated = versions.filter((version, index) => versions.indexOf(version) < index)
  return {
    lost: events - firsts.length,
    twice: repeated.filter((version) => !inFlight.has(version)).length,
    again: repeated.filter((version) => inFlight.has(version)).length,
    disorder: firsts.filter((version, index) => version < (firsts[index - 1] ?? 0)).length,
  }
}

async function until(isSo: () => boolean): Promise<void> {
  for (let waited = 0; waited < longest && !isSo(); waited += 50) await pause(50)
}
