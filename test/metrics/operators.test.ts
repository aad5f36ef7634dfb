import { readFileSync } from 'node:fs'
import { parser } from '@prometheus-io/lezer-promql'
import { afterAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { type Toolbox, toolbox } from '../support/toolbox.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

const Rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.strictObject({
          alert: z.string(),
          expr: z.string(),
          for: z.string().regex(/^\d+[smh]$/),
          labels: z.strictObject({ severity: z.enum(['warning', 'critical']) }),
          annotations: z.strictObject({ summary: z.string() }),
        }),
      ),
    }),
  ),
})
const Dashboard = z.object({
  uid: z.string(),
  templating: z.object({ list: z.array(z.object({ name: z.string() })) }),
  panels: z.array(
    z.object({
      id: z.int(),
      title: z.string(),
      gridPos: z.object({ x: z.int(), y: z.int(), w: z.int(), h: z.int() }),
      targets: z.optional(z.array(z.object({ expr: z.string(), legendFormat: z.string() }))),
    }),
  ),
})

/** The parts of a PromQL expression: metrics with the labels they match, grouping labels, offsets of syntax errors. */
type Query = { selectors: { metric: string; labels: string[] }[]; grouping: string[]; mistakes: number[] }

function readQuery(expression: string): Query {
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
function printedMetrics(...texts: string[]): Map<string, Set<string>> {
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

const boxes: Toolbox[] = []
for (const dialect of ['sqlite', 'postgres'] as const) boxes.push(await toolbox(dialect))
const [box] = boxes
const person = box!.as(await box!.createPerson('ada'))
await person.post('/api/v1/keepalive', { url: 'http://127.0.0.1:9/' })
const { messages, turnsWaited } = box!.context.metrics
messages.inc({ type: 'discord', outcome: 'accepted' }, 0)
turnsWaited.inc({ kind: 'turn' }, 0)
await box!.work.runDue()
const last = { name: 'one', at: box!.now() }
await box!.db.q
  .insertInto('setting')
  .values({ key: 'backups', value: JSON.stringify({ last }) })
  .execute()
await box!.context.jobs.add({ id: 'due', kind: 'turn', entryId: null, dueAt: box!.now() })
const texts = await Promise.all(boxes.map(({ context }) => context.metrics.text()))
const text = texts.join('\n')
const metrics = printedMetrics(...texts)
afterAll(() => Promise.all(boxes.map((box) => box.close())))

/** Labels that Prometheus adds to every sample. */
const added = ['job', 'instance']

/** The mistakes in a query: syntax errors, and metrics or labels that `/metrics` doesn't export. */
function mistakesIn(expression: string): string[] {
  const { selectors, grouping, mistakes } = readQuery(expression)
  const knownLabels = new Set(added)
  const wrong = selectors.flatMap(({ metric, labels }) => {
    const own = metric === 'up' ? new Set<string>() : metrics.get(metric)
    for (const label of own ?? []) knownLabels.add(label)
    if (!own) return [`no metric ${metric}`]
    return labels
      .filter((label) => !own.has(label) && !added.includes(label))
      .map((label) => `${metric} has no ${label}`)
  })
  const groups = grouping.filter((label) => !knownLabels.has(label)).map((label) => `nothing has ${label}`)
  return [...mistakes.map((at) => `syntax at ${at}`), ...wrong, ...groups]
}

test('finds mistakes in a query', () => {
  expect(mistakesIn('sum by (nowhere) (rate(toolbox_runs_total{tool="a",colour="b"}[5m]))')).toEqual([
    'toolbox_runs_total has no colour',
    'nothing has nowhere',
  ])
  expect(mistakesIn('toolbox_nothing > 1')).toEqual(['no metric toolbox_nothing'])
  expect(mistakesIn('sum(toolbox_offline')).not.toEqual([])
})

test('every alert queries existing metrics, uses labels that it has, and is documented', () => {
  const rules = Rules.parse(parse(read('deploy/alerts.yml'))).groups.flatMap((group) => group.rules)
  expect(rules.length).toBeGreaterThan(8)
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
  const docs = read('docs/monitor.md')
  for (const { alert, expr, annotations } of rules) {
    expect(mistakesIn(expr), alert).toEqual([])
    const { selectors, grouping } = readQuery(expr)
    const availableLabels =
      grouping.length > 0
        ? grouping
        : [...added, ...selectors.flatMap(({ metric }) => [...(metrics.get(metric) ?? [])])]
    for (const [, label] of annotations.summary.matchAll(/\$labels\.(\w+)/g))
      expect(availableLabels, alert).toContain(label)
    expect(docs).toContain(`\`${alert}\``)
  }
})

test('every dashboard panel queries existing metrics, and no two panels overlap', () => {
  const { panels, templating } = Dashboard.parse(JSON.parse(read('deploy/grafana-dashboard.json')))
  expect(panels.length).toBeGreaterThan(15)
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  const places = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, n) => `${x + (n % w)} ${y + Math.floor(n / w)}`),
  )
  expect(new Set(places).size).toBe(places.length)
  const variables = new Set([...templating.list.map(({ name }) => name), '__rate_interval'])
  for (const { title, targets = [] } of panels)
    for (const { expr, legendFormat } of targets) {
      const named = [...expr.matchAll(/\$(\w+)/g)].map(([, name]) => name)
      expect(
        named.filter((name) => !variables.has(name!)),
        title,
      ).toEqual([])
      const filled = expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', '.*')
      expect(mistakesIn(filled), title).toEqual([])
      const { grouping } = readQuery(filled)
      for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
        expect([...grouping, ...added], title).toContain(label)
    }
})

test('the backup interval is exported only where backups are automatic', () => {
  expect(text.match(/^toolbox_backup_interval_seconds .+$/gm)).toEqual(['toolbox_backup_interval_seconds 86400'])
})

test('metric names follow the conventions of Prometheus, and each is documented', () => {
  const docs = read('docs/monitor.md')
  const own = [...text.matchAll(/^# TYPE (toolbox_\S+) (\S+)$/gm)].map(([, name = '', type = '']) => ({ name, type }))
  expect(own.length).toBeGreaterThan(20)
  for (const { name, type } of own) {
    expect(name).toMatch(/^toolbox_[a-z]+(?:_[a-z]+)*$/)
    expect(name.endsWith('_total'), `${name} is a ${type}`).toBe(type === 'counter')
    if (type === 'histogram') expect(name).toMatch(/_(?:seconds|bytes)$/)
    expect(name).not.toMatch(/_(?:ms|milliseconds|minutes|hours|kb|mb)(?:_|$)/)
    expect(docs, name).toContain(`\`${name}\``)
  }
  const named = new Set([...docs.matchAll(/`(toolbox_[a-z_]+)`/g)].map(([, name]) => name))
  expect([...named].filter((name) => !own.some((one) => one.name === name))).toEqual([])
})
