import { randomUUID } from 'node:crypto'
import type { Context } from '../platform/context.ts'
import type { Queries } from '../platform/db/open.ts'
import { transact } from '../platform/db/transact.ts'
import type { LiveEvent } from '../platform/live/events.ts'
import { HttpError } from '../shared/http-error.ts'
import { type Milliseconds, minutes, seconds } from '../shared/time.ts'
import { type BackupsConfig, folderOf } from './config.ts'
import type { Backup } from './contract.ts'
import { describeBackupFailure } from './failure.ts'
import type { freeBytes } from './folder.ts'
import { makeBackup } from './make.ts'
import { lockState, type State, writeState } from './state.ts'

export type BackupContext = Pick<Context<BackupsConfig>, 'config' | 'db' | 'now' | 'log' | 'notify'> & {
  events: Pick<Context['events'], 'publish'>
}

/** A process that hasn't renewed its claim for this long counts as killed. */
const claimLife: Milliseconds = minutes(2)
const renewEvery: Milliseconds = seconds(30)

/** Whether a backup is in progress. Ignores a claim too far in the future: the clock was set back since. */
export const isClaimed = ({ claim }: State, now: number): boolean =>
  claim !== undefined && claim.until > now && claim.until <= now + claimLife

/** The state after a backup that has lost its claim to another: its success counts if newer, its failure doesn't. */
function withLate(state: State, outcome: Pick<State, 'last'> | Pick<State, 'failed'>): State | undefined {
  const late = 'last' in outcome ? outcome.last : undefined
  return late && late.at > (state.last?.at ?? 0) ? { ...state, last: late } : undefined
}

/** Makes backups, one at a time across all instances. `free` returns the free bytes of a folder's disk. */
export function createBackups(context: BackupContext, free?: typeof freeBytes) {
  const { config, db, log, notify, events } = context
  const now = () => Math.floor(context.now())

  async function change(next: (state: State, tx: Queries) => State | undefined | Promise<State | undefined>) {
    await transact(db, async (tx) => {
      const state = await next(await lockState(db, tx), tx)
      if (state) await writeState(tx, state)
    })
  }

  async function claim(by: string): Promise<boolean> {
    let isAcquired = false
    await change((state) => {
      isAcquired = !isClaimed(state, now())
      return isAcquired ? { ...state, claim: { by, until: now() + claimLife } } : undefined
    })
    return isAcquired
  }

  /** Does nothing once another backup has taken over an expired claim. */
  const renew = (by: string) =>
    change((state) => (state.claim?.by === by ? { ...state, claim: { by, until: now() + claimLife } } : undefined))

  /** Records the outcome. Notifies admins of the first failure in a row, and of the first success after it. */
  async function finish(by: string, outcome: Pick<State, 'last'> | Pick<State, 'failed'>): Promise<void> {
    let liveEvents: readonly LiveEvent[] = []
    await change(async (before, tx) => {
      const { claim, failed: _, ...state } = before
      if (claim?.by !== by) return withLate(before, outcome)
      const failed = 'failed' in outcome ? outcome.failed : undefined
      if (failed && !state.isTold)
        liveEvents = await notify(tx, [{ type: 'operator', message: `${failed.why}. No backup was made.` }])
      if (!failed && state.isTold)
        liveEvents = await notify(tx, [{ type: 'operator', message: 'Backups are being made again.' }])
      return { ...state, ...outcome, isTold: failed !== undefined }
    })
    events.publish(liveEvents)
  }

  return {
    /** Makes a backup now. Throws a 409 if one is in progress, or a 503 with the reason why it failed. */
    async make(): Promise<Backup> {
      const by = randomUUID()
      if (!(await claim(by))) throw new HttpError(409, 'Another backup is being made right now.')
      const renewing = setInterval(() => void renew(by).catch(() => {}), renewEvery)
      try {
        const at = now()
        const backup = await makeBackup({ db, config, at, ...(free && { free }) }).catch(async (error: unknown) => {
          const why = describeBackupFailure(error, folderOf(config))
          log.warn({ err: error }, `No backup was made: ${why}`)
          await finish(by, { failed: { at: now(), why } }).catch((err: unknown) =>
            log.warn({ err }, 'Failed to notify admins of the failed backup'),
          )
          throw new HttpError(503, `${why}.`)
        })
        log.info({ backup: backup.name, rows: backup.rows, bytes: backup.size }, 'Made a backup')
        await finish(by, { last: { name: backup.name, at } }).catch((err: unknown) =>
          log.warn({ err }, 'Failed to record the backup'),
        )
        return backup
      } finally {
        clearInterval(renewing)
      }
    },

    /** Notifies admins that backups are overdue, unless they have been notified of a problem already. */
    async notifyOverdue(): Promise<void> {
      let liveEvents: readonly LiveEvent[] = []
      await change(async (state, tx) => {
        if (state.isTold) return undefined
        const message = state.last
          ? `Backups are overdue: the last one was made ${formatDay(state.last.at)}.`
          : 'Backups are overdue: none has been made yet.'
        log.warn(message)
        liveEvents = await notify(tx, [{ type: 'operator', message }])
        return { ...state, isTold: true }
      })
      events.publish(liveEvents)
    },
  }
}
export type Backups = ReturnType<typeof createBackups>

const formatDay = (at: number) => `on ${new Date(at).toISOString().slice(0, 16).replace('T', ' at ')} UTC`
