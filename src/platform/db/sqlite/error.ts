import { DatabaseUnavailable, type FailureWatch, type Unavailability } from '../unavailable.ts'

const byCode: Record<number, Unavailability> = {
  5: 'locked', // busy
  8: 'disk', // read-only
  10: 'disk', // I/O error
  11: 'damaged', // corrupt
  13: 'full',
  14: 'disk', // cannot open
  26: 'damaged', // not a database
}
/** The file's shared memory could not grow. */
const noRoomForIndex = 4874

/** What SQLite's error means for the database as a whole; undefined for an error of the statement. */
export function unavailabilityOf(error: unknown): Unavailability | undefined {
  const { code, errcode } = Object(error)
  if (code !== 'ERR_SQLITE_ERROR') return undefined
  return errcode === noRoomForIndex ? 'full' : byCode[errcode & 0xff]
}

/** Does what may find the database unavailable; `retry` repeats it without harm. Throws DatabaseUnavailable in place of SQLite's error. */
export async function attempt<T>(
  failures: FailureWatch,
  work: () => T | Promise<T>,
  retry?: () => Promise<unknown>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const why = error instanceof DatabaseUnavailable ? error.why : unavailabilityOf(error)
    if (!why) throw error
    const unavailable = error instanceof DatabaseUnavailable ? error : new DatabaseUnavailable(why, error)
    failures.failed(unavailable, retry)
    throw unavailable
  }
}
