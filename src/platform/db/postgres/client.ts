import pg from 'pg'
import type { Milliseconds } from '../../../shared/time.ts'
import { DatabaseUnavailable, type Unavailability } from '../unavailable.ts'

/** Codes, and classes of them, that blame the server and not the statement: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const serversFault: Record<string, Unavailability> = {
  '08': 'unreachable',
  25006: 'readOnly', // another server may be the primary now
  '25P03': 'unreachable', // idle in a transaction for too long
  28: 'refused', // the role, its password or its address
  '3D000': 'refused', // no such database
  '3F000': 'refused', // no schema for new tables
  42501: 'refused', // what the role may not do
  53100: 'full',
  53200: 'unreachable', // out of memory
  53300: 'unreachable', // too many connections
  57014: 'unreachable', // cancelled, by the limit of a statement or by an operator
  '57P01': 'unreachable', // shut down
  '57P02': 'unreachable', // crashed
  '57P03': 'unreachable', // starting up
}

const endsConnection = new Set<Unavailability>(['unreachable', 'readOnly'])

/** Ends a connection at once: all that wait for an answer on it fail. */
export const discard = (client: pg.Client, why?: Error): void => void client.connection.stream.destroy(why)

/**
 * Queries a connection, as one message if it can; if no answer comes within `patience`, calls `onSilence` and discards the connection. Throws
 * DatabaseUnavailable if the server is to blame; after `unreachable` and `readOnly` the connection is closed.
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
    if (blamed instanceof DatabaseUnavailable && endsConnection.has(blamed.why)) discard(client)
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
    const why = serversFault[code] ?? serversFault[code.slice(0, 2)]
    return why ? new DatabaseUnavailable(why, error) : error
  }
  return isGone ? new DatabaseUnavailable('unreachable', error) : error
}

type Results<Row extends pg.QueryResultRow> = pg.QueryResult<Row>[]

/** The named queries that a connection has parsed. */
const parsed = new WeakMap<pg.Client, Set<string>>()

/**
 * Sends queries as one message if it can, otherwise one after the other. Either way none is run after one that failed.
 * Answers the result of each.
 */
export async function send<Row extends pg.QueryResultRow>(
  client: pg.Client,
  queries: readonly pg.QueryConfig[],
): Promise<Results<Row>> {
  const names = parsed.get(client) ?? new Set()
  parsed.set(client, names)
  const isReady = ({ name, text, values }: pg.QueryConfig) =>
    name === undefined ? isBegin(text) || Boolean(values?.length) : names.has(name)
  if (queries.length > 1 && queries.every(isReady)) return sendTogether(client, queries)
  const results: Results<Row> = []
  for (const query of queries) results.push(await client.query<Row>(query))
  for (const { name } of queries) if (name !== undefined) names.add(name)
  return results
}

export const isBegin = (text: string): boolean => text.startsWith('begin')

/**
 * The server skips what follows a query that failed until it is told to synchronize, so only the last one tells it to. If
 * one before it can't even be sent, the server is never told, so the connection is closed.
 */
function sendTogether<Row extends pg.QueryResultRow>(
  client: pg.Client,
  queries: readonly pg.QueryConfig[],
): Promise<Results<Row>> {
  const { promise, resolve, reject } = Promise.withResolvers<Results<Row>>()
  const extended = { queryMode: 'extended' }
  const last: pg.Query & pg.Submittable = new pg.Query(queries.at(-1), (error, results) =>
    error ? reject(error) : resolve(results as unknown as Results<Row>),
  )
  const submitLast = last.submit.bind(last)
  last.submit = (connection) => {
    const unsynchronized: pg.Connection = Object.create(connection, { sync: { value: () => {} } })
    const giveUp = (error: unknown) => void (error instanceof Error && connection.stream.destroy(error))
    connection.stream.cork()
    for (const query of queries.slice(0, -1))
      giveUp(new pg.Query({ ...query, ...extended }, giveUp).submit(unsynchronized))
    giveUp(submitLast(connection))
    connection.stream.uncork()
  }
  client.query(last)
  return promise
}
