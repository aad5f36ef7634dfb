import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { hours, type Instant, type Milliseconds, minutes, seconds } from '../shared/time.ts'
import { type BackupContext, type Backups, isClaimed } from './backups.ts'
import { backupIntervalOf, folderOf } from './config.ts'
import { readState, type State } from './state.ts'

/** Time between two checks, and before the first one, which must not slow down startup. */
const lookEvery: Milliseconds = minutes(1)
const soonest: Milliseconds = seconds(1)
const retryAfter: Milliseconds = minutes(30)

type Due = Pick<BackupContext, 'config' | 'db'>

/** Undefined if automatic backups are off. Ignores times in the future: the clock was set back since. */
export function nextBackup({ config, db }: Due, { last, failed }: State, now: Instant): Instant | undefined {
  const every = backupIntervalOf(config)
  if (every === 0) return undefined
  const isThere = last && last.at <= now && (db.isShared || existsSync(join(folderOf(config), last.name)))
  const due = isThere ? last.at + every : now
  return failed && failed.at <= now ? Math.max(due, failed.at + Math.min(every, retryAfter)) : due
}

type Looking = BackupContext & { elapsed: () => Milliseconds }

/** Returns a function to call periodically: it makes a backup when one is due, and reports overdue ones to admins. */
export function createScheduleCheck(
  context: Looking,
  { make, notifyOverdue }: Pick<Backups, 'make' | 'notifyOverdue'>,
) {
  const { config, db, now, elapsed, log } = context
  const overdueAfter = Math.max(2 * backupIntervalOf(config), hours(1))
  const startedAt = elapsed()

  return async (): Promise<void> => {
    const state = await readState(db.q)
    const at = now()
    // Report this even while a backup is in progress: its process may be stuck.
    if (elapsed() - startedAt > overdueAfter && at - (state.last?.at ?? 0) > overdueAfter) await notifyOverdue()
    if (isClaimed(state, at)) return
    const due = nextBackup(context, state, at)
    if (due !== undefined && due <= at)
      await make().catch((err: unknown) => log.debug({ err }, 'Failed to make a scheduled backup; retrying later'))
  }
}

/** Makes backups when they are due. Returns a function that stops it. */
export function scheduleBackups(context: Looking, backups: Backups): () => void {
  const every = backupIntervalOf(context.config)
  if (every === 0) return () => {}
  const checkSchedule = createScheduleCheck(context, backups)
  const lookOnce = () =>
    void checkSchedule().catch((err: unknown) =>
      context.log.debug({ err }, 'Failed to check the backups; checking again later'),
    )
  const timer = setInterval(lookOnce, Math.max(soonest, Math.min(lookEvery, every / 2)))
  return () => clearInterval(timer)
}
