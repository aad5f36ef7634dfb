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
