import { parser } from '@prometheus-io/lezer-promql'

/** The parts of a PromQL expression: metrics with the labels they match, grouping labels, offsets of syntax errors. */
export type Query = { selectors: { metric: string; labels: string[] }[]; grouping: string[]; mistakes: number[] }

export function readQuery(expression: string): Query {
  const query: Query = { selectors: [], grouping: [], mistakes: [] }
  const text = (node: { from: number; to: number }) => expression.slice(node.from, node.to)
  parser.parse(expression).iterate({
    enter({ node }) {
      if (node.type.isError) query.mistakes.push(node.from)
      if (node.name === 'VectorSelector') {
        const name = node.getChild('Identifier')
        const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? []
        const labels = matchers.flatMap((matcher) => matcher.getChildren('LabelName').map(text))
        query.selectors.push({ metric: name ? text(name) : '', labels })
      }
      if (node.name === 'GroupingLabels') query.grouping.push(...node.getChildren('LabelName').map(text))
    },
  })
  return query
}

/** The labels of all exported metrics, by the metric names that queries use. */
export function printedMetrics(...texts: string[]): Map<string, Set<string>> {
  const metrics = new Map<string, Set<string>>()
  for (const text of texts) {
    for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm))
      for (const suffix of type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''])
        if (!metrics.has(name + suffix)) metrics.set(name + suffix, new Set())
    for (const [, name = '', inside = ''] of text.matchAll(/^([a-z_0-9]+)\{(.*)\} \S+$/gm))
      for (const [, label = ''] of inside.matchAll(/([a-z_]+)="(?:[^"\\]|\\.)*"/g)) metrics.get(name)?.add(label)
  }
  return metrics
}
