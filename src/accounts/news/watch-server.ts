import type { Context } from '../../platform/context.ts'
import { type Milliseconds, minutes } from '../../shared/time.ts'

/** Trouble that ends sooner is told to nobody. */
const patience: Milliseconds = minutes(1)

/** What each word of `/readyz` means, while it lasts and afterwards. */
const words: Record<string, readonly [now: string, then: string]> = {
  database: ["the database isn't answering", "the database wasn't answering"],
  locked: ['another program keeps the database locked', 'another program kept the database locked'],
  disk: ["the disk is full or can't be written to", "the disk was full or couldn't be written to"],
  migrations: ['the database belongs to another version', 'the database belonged to another version'],
  worker: ['pings, purges and deliveries are standing still', 'pings, purges and deliveries stood still'],
  badges: ["views of badges aren't being counted", "views of badges weren't counted"],
  events: ['live updates between instances are interrupted', 'live updates between instances were interrupted'],
}

type Watching = Pick<Context, 'db' | 'elapsed' | 'events' | 'log' | 'tell'>

/** Tells admins of this server's trouble once it has lasted a minute, and once it is over. To be called every few seconds. */
export function watchServer(
  { db, elapsed, events, log, tell }: Watching,
  whyNotReady: () => Promise<string | undefined>,
): () => Promise<void> {
  let trouble: { why: string; since: Milliseconds; isTold: boolean } | undefined
  /** What can't be stored yet, since the database itself is in trouble: only the newest of it. */
  let owed: string | undefined

  function notice(why: string | undefined) {
    if (why) trouble ??= { why, since: elapsed(), isTold: false }
    if (!trouble) return
    const lasted = elapsed() - trouble.since
    const [now, then] = words[trouble.why] ?? [trouble.why, trouble.why]
    if (lasted >= patience && why && !trouble.isTold) {
      trouble.isTold = true
      owed = `ToolBox is in trouble: ${now}.`
    }
    if (why) return
    if (lasted >= patience) owed = `ToolBox has recovered. For ${Math.round(lasted / minutes(1))} min, ${then}.`
    trouble = undefined
  }

  async function say(message: string) {
    events.publish(await db.q.transaction().execute((tx) => tell(tx, [{ type: 'operator', message }])))
    owed = undefined
  }

  return async () => {
    notice(await whyNotReady())
    if (owed !== undefined)
      await say(owed).catch((error: unknown) => log.debug({ err: error }, 'Admins are told of trouble later.'))
  }
}
