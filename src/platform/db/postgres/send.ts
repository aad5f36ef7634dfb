import pg from 'pg'

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
