import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type Metrics = ReturnType<typeof createMetrics>

/** What the program counts about itself, for Prometheus. */
export function createMetrics() {
  const registers = [new Registry()]
  const [registry] = registers
  collectDefaultMetrics({ register: registry! })
  return {
    /** Everything counted so far, as Prometheus reads it. */
    text: () => registry!.metrics(),
    contentType: registry!.contentType,
    httpSeconds: new Histogram({
      name: 'toolbox_http_request_seconds',
      help: 'Time to answer a request, by route and status class.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    }),
    jobsClaimed: new Counter({
      name: 'toolbox_jobs_claimed_total',
      help: 'Due jobs claimed by this instance.',
      labelNames: ['kind'],
      registers,
    }),
    runs: new Counter({
      name: 'toolbox_runs_total',
      help: 'Runs of entries, by tool and outcome (success or failure).',
      labelNames: ['tool', 'outcome'],
      registers,
    }),
    turnsWaited: new Counter({
      name: 'toolbox_turns_waiting_total',
      help: 'Runs that found no free slot on their host and had to wait for other entries.',
      labelNames: ['kind'],
      registers,
    }),
    latenessSeconds: new Histogram({
      name: 'toolbox_job_lateness_seconds',
      help: 'Delay between the due time of a job and its claim.',
      labelNames: ['kind'],
      buckets: [0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300],
      registers,
    }),
    offline: new Gauge({
      name: 'toolbox_offline',
      help: '1 while no outside host can be reached and runs are postponed, else 0.',
      registers,
    }),
    turnsPostponed: new Counter({
      name: 'toolbox_turns_postponed_total',
      help: 'Runs postponed because no outside host could be reached, each counted once per outage.',
      registers,
    }),
  }
}
