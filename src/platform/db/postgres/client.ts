import pg from 'pg'
import type { Milliseconds } from '../../../shared/time.ts'
import { DatabaseUnavailable, type Unavailability } from '../unavailable.ts'

/** Codes and classes of the server's own errors: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const serversFault: Record<string, Unavailability> = {
  '08': 'unreachable',
  25006: 'readOnly', // another server may be the primary now
  '25P03': 'unreachable', // idle in a transaction for too long
  28: 'refused', // the role, its password or its address
  '3D000': 'refused', // no such database
  '3F000': 'refused', // no schema for new tables
  42501: 'refused', // insufficient rights of the role
  53100: 'full',
  53200: 'unreachable', // out of memory
  53300: 'unreachable', // too many connections
  57014: 'unreachable', // canceled by a statement's time limit or by an operator
  '57P01': 'unreachable', // shut down
  '57P02': 'unreachable', // crashed
  '57P03': 'unreachable', // starting up
}

const endsConnection = new Set<Unavailability>(['unreachable', 'readOnly'])

/** Closes a connection immediately: all queries that wait for a response on it fail. */
export const discard = (client: pg.Client, why?: Error): void => void client.connection.stream.destroy(why)

/**
 * Queries a connection. Without a response within `timeout`, calls `onSilence` and discards the connection. Throws
 * DatabaseUnavailable if the server is to blame. `unreachable`, `readOnly` and driver errors close the connection.
 */
export async function queryWithTimeout<Row extends pg.QueryResultRow>(
  client: pg.Client,
  query: pg.QueryConfig,
  { timeout, onSilence }: { timeout: Milliseconds; onSilence?: (error: Error) => void },
): Promise<pg.QueryResult<Row>> {
  const giveUp = () => {
    const silence = new Error(`No answer within ${timeout / 1_000} s.`)
    onSilence?.(silence)
    discard(client, silence)
  }
  let turn: NodeJS.Immediate | undefined
  // After a pause of the process the time is up, but the response may be ready to be read in the next turn.
  const timer = setTimeout(() => {
    turn = setImmediate(giveUp)
  }, timeout)
  try {
    return await client.query<Row>(query)
  } catch (error) {
    const blamed = classifyError(error, client.connection.stream.destroyed)
    // After an error of its own, the driver still considers statements parsed that the server has dropped.
    const isDrivers = !(error instanceof pg.DatabaseError)
    if (isDrivers || (blamed instanceof DatabaseUnavailable && endsConnection.has(blamed.why))) discard(client)
    throw blamed
  } finally {
    clearTimeout(timer)
    clearImmediate(turn)
  }
}

/** Returns DatabaseUnavailable if the server is to blame or, for an error without a code, the connection `isGone`. */
export function classifyError(error: unknown, isGone: boolean): unknown {
  if (error instanceof pg.DatabaseError) {
    const { code = '' } = error
    const why = serversFault[code] ?? serversFault[code.slice(0, 2)]
    return why ? new DatabaseUnavailable(why, error) : error
  }
  return isGone ? new DatabaseUnavailable('unreachable', error) : error
}
