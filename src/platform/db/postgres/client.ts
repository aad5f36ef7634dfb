import pg from 'pg'
import type { Milliseconds } from '../../../shared/time.ts'
import { DatabaseUnavailable, type Unavailability } from '../unavailable.ts'

/** Codes that blame the server and not the statement, beside class 08: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const serversFault: Record<string, Unavailability> = {
  25006: 'unreachable', // only reads: another server is the primary now
  '25P03': 'unreachable', // idle in a transaction for too long
  53100: 'full',
  53200: 'unreachable', // out of memory
  53300: 'unreachable', // too many connections
  57014: 'unreachable', // cancelled, by the limit of a statement or by an operator
  '57P01': 'unreachable', // shut down
  '57P02': 'unreachable', // crashed
  '57P03': 'unreachable', // starting up
}

/** Ends a connection without a goodbye: whoever waits for an answer on it fails at once. */
export const discard = (client: pg.Client, why?: Error): void => void client.connection.stream.destroy(why)

/**
 * Asks on a connection and discards it when no answer comes within `patience`, which calls `onSilence`. Throws
 * DatabaseUnavailable whenever the server is to blame; after `unreachable` the connection is good for nothing more.
 */
export async function ask<Row extends pg.QueryResultRow>(
  client: pg.Client,
  query: pg.QueryConfig,
  { patience, onSilence }: { patience: Milliseconds; onSilence?: (error: Error) => void },
): Promise<pg.QueryResult<Row>> {
  const giveUp = () => {
    const silence = new Error(`No answer within ${patience / 1_000} s.`)
    onSilence?.(silence)
    discard(client, silence)
  }
  let turn: NodeJS.Immediate | undefined
  // A process that was stopped meanwhile finds the time over, and the answer waiting to be read in the next turn.
  const timer = setTimeout(() => {
    turn = setImmediate(giveUp)
  }, patience)
  try {
    return await client.query<Row>(query)
  } catch (error) {
    const blamed = blame(error, client.connection.stream.destroyed)
    if (blamed instanceof DatabaseUnavailable && blamed.why === 'unreachable') discard(client)
    throw blamed
  } finally {
    clearTimeout(timer)
    clearImmediate(turn)
  }
}

/** As DatabaseUnavailable when the server is to blame, else as it is. An error without a code is the connection's own when that `isGone`. */
export function blame(error: unknown, isGone: boolean): unknown {
  if (error instanceof pg.DatabaseError) {
    const { code = '' } = error
    const why = code.startsWith('08') ? 'unreachable' : serversFault[code]
    return why ? new DatabaseUnavailable(why, error) : error
  }
  return isGone ? new DatabaseUnavailable('unreachable', error) : error
}
