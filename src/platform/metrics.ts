import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { cached, withTimeout } from '../shared/async.ts'
import { type Milliseconds, seconds } from '../shared/time.ts'
import type { Db } from './db/open.ts'

export type Metrics = ReturnType<typeof createMetrics>

type Sample = { labels?: Readonly<Record<string, string>>; value: number }

/** A metric that is read at each scrape; `label` is the name of its samples' label, if they have one. */
type Reading = {
  name: string
  help: string
  label?: string
  read: () => readonly Sample[] | Promise<readonly Sample[]>
}

/** The time limit of each read, so that a hanging database doesn't block the other metrics. */
const readTimeout = seconds(2)

const lag = 'nodejs_eventloop_lag'
/** The longest delay of a libuv timer in ms: keeps prom-client from sampling the event loop. */
const never = 2 ** 31 - 1

/** The program's metrics about itself, for Prometheus. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: never })
  for (const name of registry.getMetricsAsArray().map((metric) => metric.name))
    if (name.startsWith(lag)) registry.removeSingleMetric(name)
  /** Adds metrics that are read at each scrape. A metric that fails or exceeds the time limit has no samples in it. */
  const add = (...readings: readonly Reading[]) => {
    for (const reading of readings) registerGauge(registers, reading)
  }
  add(...readEventLoop())
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers })
  return {
    httpSeconds: new Histogram({
      name: 'toolbox_http_request_seconds',
      help: 'Time to answer a request, by route and status class.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    }),
    latenessSeconds: new Histogram({
      name: 'toolbox_job_lateness_seconds',
      help: 'Delay between the due time of a job and its start.',
      labelNames: ['kind'],
      buckets: [0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300],
      registers,
    }),
    databaseSeconds: new Histogram({
      name: 'toolbox_database_statement_seconds',
      help: 'Time of a statement, by kind (read, write or commit), with its wait for other writes on SQLite.',
      labelNames: ['kind'],
      buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
      registers,
    }),
    jobsClaimed: counter('toolbox_jobs_claimed_total', 'Due jobs claimed by this instance.', 'kind'),
    jobsInFlight: new Gauge({
      name: 'toolbox_jobs_in_flight',
      help: 'Jobs that this instance is running.',
      labelNames: ['kind'],
      registers,
    }),
    runs: counter(
      'toolbox_runs_total',
      'Runs of entries, by tool and outcome (success or failure).',
      'tool',
      'outcome',
    ),
    messages: counter(
      'toolbox_channel_messages_total',
      "Attempts to send a notice to a user's channel, by type and outcome (accepted, refused, failed, limited or again).",
      'type',
      'outcome',
    ),
    turnsWaited: counter(
      'toolbox_turns_waiting_total',
      'Runs that found no free slot on their host and had to wait for other entries.',
      'kind',
    ),
    foreignMessages: counter(
      'toolbox_foreign_messages_total',
      'Messages between instances that were dropped, since they are forged, repeated or of another version.',
    ),
    offline: new Gauge({
      name: 'toolbox_offline',
      help: '1 while no outside host can be reached and runs are postponed, else 0.',
      registers,
    }),
    turnsPostponed: counter(
      'toolbox_turns_postponed_total',
      'Runs postponed because no outside host could be reached, each counted once per outage.',
    ),
    add,
    contentType: registry.contentType,
    text: () => registry.metrics(),
  }
}

const registerGauge = (registers: Registry[], { name, help, label, read }: Reading) =>
  new Gauge({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers,
    async collect() {
      const reading = async () => read()
      // A failure must not affect the other metrics, least of all while the database is unavailable.
      const samples = await withTimeout(readTimeout, reading()).catch(() => undefined)
      this.reset()
      // After the reset, a gauge without labels would report 0.
      if (label === undefined) this.remove()
      for (const { labels = {}, value } of samples ?? []) this.set(labels, value)
    },
  })

/** How long event loop turns took since the last read. prom-client's sampling wakes an idle process at 100 Hz. */
function readEventLoop(): Reading[] {
  const delays = monitorEventLoopDelay({ samplePerIteration: true })
  delays.enable()
  const gauge = (what: string, help: string, nanoseconds: () => number): Reading => ({
    name: `${lag}_${what}_seconds`,
    help,
    read: () => (delays.count > 0 ? [{ value: nanoseconds() / 1e9 }] : []),
  })
  const percentile = (share: number) =>
    gauge(`p${share}`, `The ${share}th percentile of the delays of the event loop.`, () => delays.percentile(share))
  const longest = gauge('max', 'The longest delay of the event loop.', () => delays.max)
  return [
    gauge('min', 'The shortest delay of the event loop.', () => delays.min),
    gauge('mean', 'The mean of the delays of the event loop.', () => delays.mean),
    ...[50, 90, 99].map(percentile),
    {
      ...longest,
      // This is the last reading of a scrape, so it resets the delays for the next one.
      read() {
        const samples = longest.read()
        delays.reset()
        return samples
      },
    },
  ]
}

/** Measures the database. Returns a function that reads its size, at most once in 30 s. */
export function measureDatabase(metrics: Metrics, db: Db, elapsed: () => Milliseconds): Db['diskUsage'] {
  for (const kind of ['read', 'write', 'commit']) metrics.databaseSeconds.zero({ kind })
  db.onStatement((kind, took) => metrics.databaseSeconds.observe({ kind }, took / 1_000))
  const room = cached(elapsed, seconds(30), db.diskUsage)
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
      label: 'state',
      read: () => Object.entries(db.load().connections ?? {}).map(([state, value]) => ({ labels: { state }, value })),
    },
  )
  return room
}
