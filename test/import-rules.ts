import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** A source file: its path relative to the root, with forward slashes, and its text. */
export type Source = { path: string; text: string }
/** Pages and server may both import contracts; a file that is neither contract nor page runs on the server. */
type Side = 'contract' | 'page' | 'server'
type Place = { slice: string; side: Side }

const base = ['shared', 'platform', 'ui']
const accounts = ['people', 'notices', 'sign-in', 'admission']
const areas = [...accounts, 'profile', 'admin']
const all = [...base, ...areas, 'entries', 'backups', 'self-check', 'status', 'own-data', 'tools']
/** The other slices that each slice may import. Every folder of src must be listed here or be a tool. */
const allowedSlices: Record<string, readonly string[]> = {
  shared: [],
  platform: ['shared'],
  ui: ['shared'],
  entries: base,
  people: base,
  notices: [...base, 'people'],
  'sign-in': [...base, 'people', 'notices'],
  admission: [...base, 'people', 'notices', 'sign-in'],
  profile: [...base, ...accounts],
  admin: [...base, ...accounts],
  backups: [...base, ...areas],
  'self-check': [...base, ...areas, 'backups'],
  status: [...base, 'entries'],
  tool: [...base, 'entries'],
  tools: [...base, 'entries', 'tool'],
  'own-data': [...base, ...areas, 'entries'],
  app: all,
  main: [...all.filter((slice) => slice !== 'ui'), 'app'],
}

/** The sides that each side may import: pages and server share nothing but contracts. */
const allowedSides: Record<Side, readonly Side[]> = {
  contract: ['contract'],
  page: ['contract', 'page'],
  server: ['contract', 'server'],
}

const isTest = (path: string) => /\.test\.tsx?$/.test(path)

/** The slice of a path: a folder of src, `tool:<id>`, `tools` for the list of tools, or the wiring (`app`, `main`). */
function sliceOf(path: string): string | undefined {
  const [, first = '', second, third] = path.split('/')
  if (/^(main|cli)(\.ts)?$/.test(first)) return 'main'
  if (!second) return 'app'
  if (first === 'tools') return third ? `tool:${second}` : 'tools'
  return first in allowedSlices && second ? first : undefined
}

const toolFile = /^src\/tools\/([\w-]+)\/tool\.ts$/
const contracts = [
  /^src\/shared\//,
  /\/contract\.ts$/,
  /^src\/entries\/define-tool\.ts$/,
  /^src\/tools\/index\.ts$/,
  /^src\/tools\/[\w-]+\/tool\.ts$/,
  /^src\/tools\/(?:[\w-]+\/){1,2}terms\.ts$/,
]

function sideOf(path: string): Side {
  if (contracts.some((form) => form.test(path))) return 'contract'
  return /^src\/ui\/|\/pages\/|\.tsx$/.test(path) ? 'page' : 'server'
}

function placeOf(path: string): Place | undefined {
  const slice = sliceOf(path)
  return slice ? { slice, side: sideOf(path) } : undefined
}

function mayUse(from: Place, to: Place): boolean {
  if (!allowedSides[from.side].includes(to.side)) return false
  if (from.slice === to.slice) return true
  const [kind, target] = [from.slice, to.slice].map((slice) => slice.replace(/^tool:.*/, 'tool')) as [string, string]
  return allowedSlices[kind]?.includes(target) ?? false
}

/** How a tool imports its two halves. Each half exports a constant of the same name. */
const halves = ['server', 'pages'].map((name) => ({
  name,
  form: new RegExp(`import\\('(\\./${name}[^']*)' satisfies string\\)`),
}))

/** Checks the exports of a tool's halves, since `satisfies string` hides these imports from the compiler. */
function brokenHalves({ path, text }: Source, sources: readonly Source[]): string[] {
  return halves.flatMap(({ name, form }) => {
    const half = posix.join(posix.dirname(path), form.exec(text)?.[1] ?? '')
    const exported = sources.find((source) => source.path === half)?.text.includes(`export const ${name}`)
    return exported ? [] : [`${path}: imports no file that exports \`${name}\``]
  })
}

/** Matches an id where it means the tool: quoted, in a path, or as the prefix of a variable or an identifier. */
function toolIdPattern(id: string): RegExp {
  const camel = id.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  const start = `[${camel[0]}${camel[0]?.toUpperCase()}]${camel.slice(1)}`
  const variable = id.toUpperCase().replaceAll('-', '_')
  return new RegExp(`['"\`/]${id}(?=['"\`/?#])|(?<!\\w)${variable}_|(?<!\\w)${start}(?=[A-Z])`)
}

/** Finds tools named outside their folders; other code must go through the list of tools. */
function namedOutside({ path, text }: Source, ids: readonly string[]): string[] {
  if (/^src\/(?:tools|platform\/db\/migrations)\//.test(path)) return []
  return ids
    .filter((id) => toolIdPattern(id).test(text))
    .map(
      (id) => `${path}: names the tool ${id}; ask tools/index.ts, or give the tool an id that nothing else is called`,
    )
}

/** The tables that tools declare, each with its tool's folder. */
const tablesOfTools = (sources: readonly Source[]) =>
  sources
    .filter(({ path }) => /^src\/tools\/[\w-]+\/tables\.ts$/.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^ {4}(\w+): \{/gm)].map((match) => ({
        table: match[1] as string,
        folder: posix.dirname(path),
      })),
    )

function foreignTables({ path, text }: Source, tables: ReturnType<typeof tablesOfTools>): string[] {
  return tables
    .filter(({ folder }) => !path.startsWith(`${folder}/`))
    .filter(({ table }) =>
      new RegExp(`(?:From|Into|Table|Join|\\bTables)[[(]'${table}\\b|\\b(?:from|into|join|update) ${table}\\b`).test(
        text,
      ),
    )
    .map(({ table, folder }) => `${path}: uses ${table}, a table of ${folder}`)
}

/** Code that opens a database, or reports to the operator about its files, may depend on its dialect. */
const mayOpenDatabase = ({ slice }: Place) => slice === 'platform' || slice === 'main'
const ofOneDatabase = /^src\/platform\/db\/(?:sqlite|postgres)\//
const ofDatabases = /^src\/platform\/db\//
const dialectCheck =
  /'(?:sqlite|postgres)'|\b(?:sqlite|postgres):(?!\/\/)|\b(?:db|schema)\.kind\b|\b(?:Db|Schema)\['kind'\]|\bPick<(?:Db|Schema),[^>]*'kind'|\{[^{}]*\bkind\b[^{}]*\}: (?:Db|Schema)\b/
const locks =
  /\bfor\s+(?:no\s+key\s+)?update\b|\bfor\s+(?:key\s+)?share\b|\block\s+table\b|\.for(?:NoKey)?Update\(|\.for(?:Key)?Share\(/i

const imported = (text: string) =>
  [...text.matchAll(/(?:^|[;\s])(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] as string)

const importedAtOnce = (text: string) =>
  [...text.matchAll(/(?:^|[;\s])(?:from|import)\s*'(\.[^']+)'/g)].map((match) => match[1] as string)

function brokenBy({ path, text }: Source): string[] {
  const from = placeOf(path)
  if (!from) return [`${path}: no slice of this name; see the map in ARCHITECTURE.md`]
  const broken: string[] = []
  const withoutHalves = toolFile.test(path) ? halves.reduce((rest, { form }) => rest.replace(form, ''), text) : text
  for (const name of imported(withoutHalves)) {
    if (name.startsWith('node:') && from.side !== 'server')
      broken.push(`${path}: a ${from.side} may not import ${name}`)
    if (!name.startsWith('.')) continue
    const target = posix.join(posix.dirname(path), name)
    if (!target.startsWith('src/')) continue
    const to = placeOf(target)
    if (!to || !mayUse(from, to) || (ofOneDatabase.test(target) && !mayOpenDatabase(from)))
      broken.push(`${path}: may not import ${target}`)
  }
  if (/^export\s+(type\s+)?(\*|\{[^}]*\}\s*from)/m.test(text))
    broken.push(`${path}: re-exports; import it from the file that declares it`)
  if (!ofDatabases.test(path) && dialectCheck.test(text))
    broken.push(`${path}: checks the dialect; add an operation to platform/db instead`)
  if (path !== 'src/platform/db/locks.ts' && locks.test(text))
    broken.push(`${path}: locks rows itself; use platform/db/locks.ts, which keeps their order`)
  if (/\bpg_(?:try_)?advisory/i.test(text))
    broken.push(`${path}: takes an advisory lock, which any client of the database can take, too`)
  if (from.side !== 'page' && from.slice !== 'main' && /\bDate\.now\(\)|\bnew Date\(\)/.test(text))
    broken.push(`${path}: reads the clock; use the context's clock instead`)
  return broken
}

/** Import circles, each as a path from its first file back to it; dynamic imports don't count. */
function circles(sources: readonly Source[]): string[] {
  const targets = new Map(
    sources.map(({ path, text }) => [path, importedAtOnce(text).map((name) => posix.join(posix.dirname(path), name))]),
  )
  const found: string[] = []
  const done = new Set<string>()
  const enter = (path: string, trail: readonly string[]) => {
    const start = trail.indexOf(path)
    if (start >= 0) found.push([...trail.slice(start), path].join(' → '))
    if (start >= 0 || done.has(path)) return
    for (const target of targets.get(path) ?? []) enter(target, [...trail, path])
    done.add(path)
  }
  for (const path of targets.keys()) enter(path, [])
  return found.map((circle) => `${circle}: import each other`)
}

/** Known circles of rooms, still to be broken. Never add one; remove the line when its circle is broken. */
const knownCircles: readonly string[] = []

/** Circles of rooms of which at least one is a folder. The rooms of a folder are its files and sub-folders. */
export function roomCircles(sources: readonly Source[]): string[] {
  const product = sources.filter(({ path }) => !isTest(path))
  const paths = new Set(product.map(({ path }) => path))
  const folders = new Map<string, Map<string, Set<string>>>()
  for (const { path, text } of product)
    for (const name of imported(text)) {
      const target = posix.join(posix.dirname(path), name)
      if (!name.startsWith('.') || !paths.has(target)) continue
      const [from, to] = [path.split('/'), target.split('/')]
      const depth = from.findIndex((step, i) => step !== to[i])
      if (depth < 0) continue
      const folder = from.slice(0, depth).join('/')
      const rooms = folders.get(folder) ?? new Map<string, Set<string>>()
      const [room, used] = [from[depth] as string, to[depth] as string]
      folders.set(folder, rooms.set(room, (rooms.get(room) ?? new Set()).add(used)))
    }
  return [...folders].flatMap(([folder, rooms]) => {
    // Iterating over a set also visits items that are added during the loop.
    const reached = new Map([...rooms].map(([room, used]) => [room, new Set(used)]))
    for (const all of reached.values()) for (const room of all) for (const next of rooms.get(room) ?? []) all.add(next)
    const circleOf = (room: string) =>
      [...(reached.get(room) ?? [])].filter((other) => reached.get(other)?.has(room)).sort()
    const circles = [...rooms.keys()].map(circleOf).filter((circle) => circle.some((room) => !/\.tsx?$/.test(room)))
    return [...new Set(circles.map((circle) => `${folder}: ${circle.join(', ')}`))].sort()
  })
}

/** Reports circles of rooms that are not listed, and listed ones that no longer exist. */
export function brokenRoomRules(sources: readonly Source[], listed = knownCircles): string[] {
  const circles = roomCircles(sources)
  return [
    ...circles
      .filter((circle) => !listed.includes(circle))
      .map((circle) => `${circle}: these files and folders import each other`),
    ...listed
      .filter((circle) => !circles.includes(circle))
      .map((circle) => `${circle}: no longer a cycle; remove it from the list in test/import-rules.ts`),
  ]
}

/** Reports each violation of the import rules as one line. Tests may import anything. */
export function brokenRules(sources: readonly Source[]): string[] {
  const ids = sources.flatMap(({ path }) => toolFile.exec(path)?.[1] ?? [])
  const tables = tablesOfTools(sources)
  const product = sources.filter(({ path }) => !isTest(path))
  return [
    ...circles(product),
    ...product.flatMap((source) => [
      ...brokenBy(source),
      ...namedOutside(source, ids),
      ...foreignTables(source, tables),
      ...(toolFile.test(source.path) ? brokenHalves(source, sources) : []),
    ]),
  ]
}

export function sourceFiles(root: string): Source[] {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((name) => `src/${name.replaceAll('\\', '/')}`)
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

/** Imports vite only in development; production installations lack it. */
const onlyInDevelopment = 'src/platform/http/page/dev.ts'
/** References the fonts that the server sends with its API documentation. */
const fonts = 'src/ui/fonts.css'

const named = (text: string) => [
  ...imported(text),
  ...[...text.matchAll(/\brequire(?:\.resolve)?\('([^']+)'\)|\burl\("([^"]+)"\)/g)].map(
    ([, required, font]) => (required ?? font) as string,
  ),
]

/** The packages that the server uses, found by following imports from its entry files. */
export function serverPackages(sources: readonly Source[]): string[] {
  const texts = new Map(sources.map(({ path, text }) => [path, text]))
  const reached = new Set(['src/main.ts', 'src/cli.ts', fonts])
  const packages = new Set<string>()
  for (const path of reached)
    for (const name of named(texts.get(path) ?? '')) {
      const target = posix.join(posix.dirname(path), name)
      const isOurs = name.startsWith('.')
      if (isOurs && sideOf(target) !== 'page' && target !== onlyInDevelopment) reached.add(target)
      if (!isOurs && !name.startsWith('node:')) packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(name)![0])
    }
  return [...packages].sort()
}

/** Reports packages that the server uses but a production installation lacks. */
export function missingPackages(root: string): string[] {
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const { dependencies } = JSON.parse(read('package.json'))
  return serverPackages([...sourceFiles(root), { path: fonts, text: read(fonts) }])
    .filter((name) => !(name in dependencies))
    .map((name) => `${name}: the server uses it, so it belongs to the dependencies`)
}
