import { type Kind, kinds } from './callers.ts'

/** A call as written in the table, and the status that each kind of caller gets. */
export type Row = { method: string; url: string; body: string | undefined; statuses: Record<Kind, number> }

export function rowsOf(text: string): Row[] {
  return text.split('\n').flatMap((line) => {
    if (line.trim() === '' || line.startsWith('#')) return []
    const [before = '', body] = line.split(' | ')
    const [method = '', url = '', ...cells] = before.trim().split(/ +/)
    const statuses = kinds.map((kind, column) => [kind, Number(cells[column])] as const)
    if (cells.length !== kinds.length) throw new Error(`Not one status for each of ${kinds.length} callers: ${line}`)
    return [{ method, url, body, statuses: Object.fromEntries(statuses) as Row['statuses'] }]
  })
}

export function lineOf(
  { method, url, body, statuses }: Row,
  of: (kind: Kind) => number = (kind) => statuses[kind],
): string {
  const cells = kinds.map((kind) => String(of(kind)).padEnd(kind.length)).join('  ')
  return [`${method.padEnd(6)} ${url.padEnd(width)}  ${cells}`.trimEnd(), ...(body ? [body] : [])].join(' | ')
}
const width = 70

/** All routes of a server, such as `GET /api/v1/user/sessions`, from Fastify's printed tree; omits HEAD. */
export function routesIn(tree: string): string[] {
  const parents: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', part = '', methods = ''] = /^([│ ]*)[├└]── (\S+) \(([A-Z, ]+)\)$/.exec(line) ?? []
    if (part === '') return []
    const depth = indent.length / 4
    const path = (depth > 0 ? parents[depth - 1] : '') + part
    parents[depth] = path
    return methods.split(', ').flatMap((method) => (method === 'HEAD' ? [] : [`${method} ${path}`]))
  })
}
