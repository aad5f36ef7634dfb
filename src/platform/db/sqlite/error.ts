import type { Unavailability } from '../unavailable.ts'

const byCode: Record<number, Unavailability> = {
  5: 'locked', // busy
  8: 'disk', // read-only
  10: 'disk', // I/O error
  11: 'damaged', // corrupt
  13: 'full',
  14: 'disk', // cannot open
  26: 'damaged', // not a database
}
/** The shared memory beside the file could not grow. */
const noRoomForIndex = 4874

/** What SQLite's error means for the database as a whole; undefined for an error of the statement. */
export function unavailabilityOf(error: unknown): Unavailability | undefined {
  const { code, errcode } = Object(error)
  if (code !== 'ERR_SQLITE_ERROR') return undefined
  return errcode === noRoomForIndex ? 'full' : byCode[errcode & 0xff]
}
