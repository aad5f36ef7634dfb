import pg from 'pg'
import type { Milliseconds } from '../../../shared/time.ts'
import { DatabaseUnavailable, type Unavailability } from '../unavailable.ts'
import { send } from './send.ts'

/** Codes, beside class 08, that blame the server and not the statement: https://www.postgresql.org/docs/current/errcodes-appendix.html */
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

/** Ends a connection at once: whoever waits for an answer on it fails. */
export const discard = (client: pg.Client, why?: Error): void => void client.connection.stream.destroy(why)

/**
 * Queries a connection, as one message if it can; if no answer comes within `patience`, calls `onSilence` and discards the connection. Throws
 * DatabaseUnavailable if the server is to blame; after `unreachable` the connection is unusable.
 */
export async function ask<Row extends pg.QueryResultRow>(
  client: pg.Client,
  queries: readonly pg.QueryConfig[],
  { patience, onSilence }: { patience: Milliseconds; onSilence?: (error: Error) => void },
): Promise<pg.QueryResult<Row>[]> {
  const giveUp = () => {
    const silence = new Error(`No answer within ${patience / 1_000} s.`)
    onSilence?.(silence)
    discard(client, silence)
  }
  let turn: NodeJS.Immediate | undefined
  // If the process was paused meanwhile, time is up, but the answer may be waiting to be read in the next turn.
  const timer = setTimeout(() => {
    turn = setImmediate(giveUp)
  }, patience)
  try {
    return await send<Row>(client, queries)
  } catch (error) {
    const blamed = blame(error, client.connection.stream.destroyed)
    if (blamed instanceof DatabaseUnavailable && blamed.why === 'unreachable') discard(client)
    throw blamed
  } finally {
    clearTimeout(timer)
    clearImmediate(turn)
  }
}

/** The error as DatabaseUnavailable if the server is to blame, otherwise unchanged. An error without a code is the connection's if that `isGone`. */
export function blame(error: unknown, isGone: boolean): unknown {
  if (error instanceof pg.DatabaseError) {
    const { code = '' } = error
    const why = code.startsWith('08') ? 'unreachable' : serversFault[code]
    return why ? new DatabaseUnavailable(why, error) : error
  }
  return isGone ? new DatabaseUnavailable('unreachable', error) : error
}
