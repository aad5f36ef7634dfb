/** A value of a metric, as Prometheus reads it; `suffix` is what its name has beside the metric's. */
export type Sample = { labels?: Readonly<Record<string, string>>; value: number; suffix?: string }

/** A metric with its samples in Prometheus' text format, which ends every line. */
export function expose(
  { name, help, type }: { name: string; help: string; type: 'gauge' | 'histogram' },
  samples: readonly Sample[],
): string {
  const head = `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`
  const lines = samples.map(({ labels = {}, value, suffix = '' }) => {
    const inside = Object.entries(labels).map(([label, text]) => `${label}="${quoted(text)}"`)
    return `${name}${suffix}${inside.length > 0 ? `{${inside.join(',')}}` : ''} ${value}\n`
  })
  return head + lines.join('')
}

const escaped: Record<string, string> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' }
const quoted = (text: string) => text.replace(/[\\"\n]/g, (sign) => escaped[sign]!)

export type Observed = { observe(value: number): void }
export type Histogram = ReturnType<typeof histogram>

type Series = Observed & { labels: Readonly<Record<string, string>>; counts: Float64Array; sum: () => number }

/**
 * A histogram for hot paths: a frequent observer keeps the series of its labels, so that an observation only adds to
 * two numbers. One of prom-client makes objects and joins the labels each time, which takes as long as a short query.
 */
export function histogram<const Label extends string>(options: {
  name: string
  help: string
  labelNames: readonly Label[]
  /** The upper bounds, in rising order. */
  buckets: readonly number[]
}) {
  const { labelNames, buckets } = options
  const all = new Map<string, Series>()

  function series(given: Record<Label, string>): Series {
    const labels = Object.fromEntries(labelNames.map((name) => [name, given[name]]))
    const counts = new Float64Array(buckets.length + 1)
    let sum = 0
    return {
      labels,
      counts,
      sum: () => sum,
      observe(value) {
        let bucket = 0
        while (bucket < buckets.length && value > buckets[bucket]!) bucket += 1
        counts[bucket]! += 1
        sum += value
      },
    }
  }

  return {
    /** What counts the values with these labels. */
    with(labels: Record<Label, string>): Observed {
      const key = JSON.stringify(labelNames.map((name) => labels[name]))
      const known = all.get(key) ?? series(labels)
      all.set(key, known)
      return known
    },
    text: () => expose({ ...options, type: 'histogram' }, [...all.values()].flatMap(samplesOf)),
  }

  function samplesOf({ labels, counts, sum }: Series): Sample[] {
    let count = 0
    const cumulative = [...counts].map((inBucket, index) => {
      count += inBucket
      return { suffix: '_bucket', labels: { le: String(buckets[index] ?? '+Inf'), ...labels }, value: count }
    })
    return [...cumulative, { suffix: '_sum', labels, value: sum() }, { suffix: '_count', labels, value: count }]
  }
}
