import { type Milliseconds, seconds } from '../../shared/time.ts'
import type { Db } from '../db/open.ts'
import { cached } from './cached.ts'
import type { Metrics } from './metrics.ts'

/** How the database does: the time of statements, its size, who waits for it. The answer reads its size, at most once in 30 s. */
export function measureDatabase(metrics: Metrics, db: Db, elapsed: () => Milliseconds): Db['room'] {
  const { databaseSeconds } = metrics
  const series = {
    read: databaseSeconds.with({ kind: 'read' }),
    write: databaseSeconds.with({ kind: 'write' }),
    commit: databaseSeconds.with({ kind: 'commit' }),
  }
  db.onStatement((kind, took) => series[kind].observe(took / 1_000))
  const room = cached(elapsed, seconds(30), db.room)
  metrics.add(
    {
      name: 'toolbox_database_failing',
      help: '1 while statements fail because of the database itself or its disk, else 0.',
      read: () => [{ value: db.failing() === undefined ? 0 : 1 }],
    },
    {
      name: 'toolbox_database_size_bytes',
      help: 'Size of the database: on SQLite of its file and write-ahead log.',
      read: async () => [{ value: (await room()).used }],
    },
    {
      name: 'toolbox_database_free_bytes',
      help: 'Free space on the disk of DATA_DIR; only with SQLite.',
      async read() {
        const { free } = await room()
        return free === undefined ? [] : [{ value: free }]
      },
    },
    {
      name: 'toolbox_database_waiting',
      help: 'Statements that wait for a connection or, on SQLite, for the thread that writes.',
      read: () => [{ value: db.load().waiting }],
    },
    {
      name: 'toolbox_database_connections',
      help: "Connections of this instance's pool by state (busy or idle); only with PostgreSQL.",
      read: () => Object.entries(db.load().connections ?? {}).map(([state, value]) => ({ labels: { state }, value })),
    },
  )
  return room
}
