import { Counter, collectDefaultMetrics, Histogram, type Metric, Registry } from 'prom-client'

export type Metrics = ReturnType<typeof createMetrics>

/** What the program counts about itself, in Prometheus' words. */
export function createMetrics() {
  const registers = [new Registry()]
  const [registry] = registers
  collectDefaultMetrics({ register: registry! })
  return {
    /** Everything counted so far, as Prometheus reads it. */
    text: () => registry!.metrics(),
    contentType: registry!.contentType,
    httpSeconds: timings(registry!, {
      name: 'toolbox_http_request_seconds',
      help: 'Time to answer a request, by route and status class.',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    }),
    jobsClaimed: new Counter({
      name: 'toolbox_jobs_claimed_total',
      help: 'Due jobs taken by this instance.',
      labelNames: ['kind'],
      registers,
    }),
    runs: new Counter({
      name: 'toolbox_runs_total',
      help: 'Runs of entries, by tool and outcome (success or failure).',
      labelNames: ['tool', 'outcome'],
      registers,
    }),
    latenessSeconds: new Histogram({
      name: 'toolbox_job_lateness_seconds',
      help: 'How long after its due time a job was taken.',
      labelNames: ['kind'],
      buckets: [0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300],
      registers,
    }),
  }
}

type Labels = { method: string; route: string; status: string }
type Row = { labels: Labels; one: Histogram }

/** A histogram that finds the row of its labels by one key: prom-client checks and sorts them at each observation, which takes a tenth of a hot route's whole answer. */
function timings(registry: Registry, { name, help, buckets }: { name: string; help: string; buckets: number[] }) {
  const rows = new Map<string, Row>()
  const begin = (key: string, labels: Labels): Row => {
    const row = { labels, one: new Histogram({ name, help, buckets, registers: [] }) }
    rows.set(key, row)
    return row
  }
  const valuesOf = async ({ labels, one }: Row) =>
    (await one.get()).values.map((value) => ({ ...value, labels: { ...labels, ...value.labels } }))
  const all = {
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    get: async () => ({ ...all, values: (await Promise.all([...rows.values()].map(valuesOf))).flat() }),
  }
  registry.registerMetric(all as unknown as Metric)
  return {
    observe(labels: Labels, seconds: number) {
      const key = `${labels.method} ${labels.route} ${labels.status}`
      const row = rows.get(key) ?? begin(key, labels)
      row.one.observe(seconds)
    },
  }
}
