import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { parseEnv } from 'node:util'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { variables } from '../../src/config.ts'
import { readVariables } from '../../src/platform/config/variables.ts'
import { rowsOf } from '../matrix/table.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { commandLines, wrongLine } from './commands.ts'
import { type Page, pagePaths, readPage, root } from './markdown.ts'

const pages = pagePaths().map(readPage)
const byPath = new Map(pages.map((page) => [page.path, page]))
const nowhere = temporaryFolder()
const { found } = readVariables(variables, {}, nowhere)
const names = new Set(found.map(({ name }) => name))
/** Variables read by other programs: npm, the tests, Compose, hosting services and ToolBox's predecessors. */
const foreign = new Set(
  'POSTGRES_PASSWORD TOOLBOX_PORT COMPOSE_PROFILES TOOLBOX_TEST_PG TOOLBOX_BROWSER TOOLBOX_DRAW TOOLBOX_WHOLE_IMAGE PGSSLMODE HTTP_PROXY HTTPS_PROXY ALL_PROXY NODE_EXTRA_CA_CERTS NODE_USE_SYSTEM_CA NODE_ENV NAME NAME_FILE'.split(
    ' ',
  ),
)
const languages = ['', ...'sh env yaml json sql nginx ini csv text ts dockerfile html xml mermaid'.split(' ')]
const isKnown = (name: string) => names.has(name.replace(/_FILE$/, '')) || foreign.has(name)

/** Historical pages, which may name things that no longer exist. */
const isOld = ({ path }: Page) => /^CHANGELOG|^docs\/decisions\//.test(path)
const current = pages.filter((page) => !isOld(page))
const formatMistake = ({ path }: Page, what: string) => `${path}: ${what}`

test('every link leads to an existing file and heading', () => {
  const broken = pages.flatMap((page) =>
    page.links
      .filter((link) => !/^(?:https?:|mailto:)/.test(link))
      .flatMap((link) => {
        const [path = '', anchor] = link.split('#')
        const file = path === '' ? page.path : normalize(join(dirname(page.path), path))
        if (!existsSync(join(root, file))) return [formatMistake(page, `no file ${link}`)]
        if (anchor === undefined) return []
        return byPath.get(file)?.anchors.has(anchor) ? [] : [formatMistake(page, `no heading ${link}`)]
      }),
  )
  expect(broken).toEqual([])
})

test('every file named in ARCHITECTURE.md exists', () => {
  const named = byPath.get('ARCHITECTURE.md')!.spans.filter((span) => /^[\w.-]+\/[\w./-]+$/.test(span))
  expect(named.length).toBeGreaterThan(40)
  expect(named.filter((path) => !existsSync(join(root, 'src', path)) && !existsSync(join(root, path)))).toEqual([])
})

test('every page of docs/ is in its index, and README.md is short and has its pictures', () => {
  const linked = new Set(
    byPath.get('docs/README.md')!.links.map((link) => normalize(join('docs', link.split('#')[0]!))),
  )
  const missing = pages.filter(({ path }) => path.startsWith('docs/') && path !== 'docs/README.md')
  expect(missing.filter(({ path }) => !linked.has(path) && !linked.has(dirname(path))).map(({ path }) => path)).toEqual(
    [],
  )
  expect(byPath.get('README.md')!.text.split('\n').length).toBeLessThanOrEqual(151)
  const [readme, index] = [byPath.get('README.md')!, byPath.get('docs/README.md')!]
  for (const page of [readme, index])
    for (const link of page.links)
      if (link.endsWith('.png')) expect(statSync(join(root, dirname(page.path), link)).size).toBeGreaterThan(10_000)
})

test('finds mistakes in commands', () => {
  const wrong = (line: string) => wrongLine(line).mistakes
  expect(wrong('npm run toolbox -- admin create --email you@example.com --username you   # prints a link')).toEqual([])
  expect(wrong('npm run toolbox -- admin create --mail you@example.com')).toEqual(['admin create has no option --mail'])
  expect(wrong('npm run toolbox -- backups prune')).toEqual(['backups takes no prune'])
  expect(wrong('npm run toolbox -- destroy')).toEqual(['there is no command destroy'])
  expect(wrong('npm run nothing && node src/nowhere.ts')).toEqual([
    'there is no script nothing',
    'there is no file src/nowhere.ts',
    'there is no src/nowhere.ts',
  ])
  expect(wrong('npm run faults clock')).toEqual(['npm keeps clock for itself'])
  expect(wrong('sudo -u toolbox A=b node src/cli.ts confg')).toEqual(['there is no command confg'])
  expect(wrong('docker compose --profile no up -d toolbox')).toEqual(['no profile no'])
  expect(wrong('cp deploy/nothing.conf /etc/ | rm -rf /')).toEqual([
    'there is no deploy/nothing.conf',
    'rm is no program that is known here',
  ])
})

test('every command in the docs exists, with its options and the variables that it sets', () => {
  const lines = current.flatMap((page) => [
    ...page.blocks
      .filter(({ language }) => language === 'sh')
      .flatMap(({ text }) => commandLines(text).map((line) => ({ page, line }))),
    ...page.spans
      .filter((span) => /^(?:[A-Z_]+=\S+ )*(?:npm|node|npx) [^…]*$/.test(span))
      .map((line) => ({ page, line })),
  ])
  expect(lines.length).toBeGreaterThan(60)
  const wrong = lines.flatMap(({ page, line }) => {
    const { mistakes, variables } = wrongLine(line)
    const unknown = variables.filter((name) => !isKnown(name)).map((name) => `no variable ${name}`)
    return [...mistakes, ...unknown].map((mistake) => formatMistake(page, `${mistake} (${line})`))
  })
  expect(wrong).toEqual([])
})

test('every configuration block in the docs is valid', () => {
  const read = { env: 0, yaml: 0, json: 0 }
  for (const page of current)
    for (const { language, text, line } of page.blocks) {
      const at = `${page.path}:${line}`
      if (language === 'env') {
        const parsed = parseEnv(text)
        expect(
          Object.keys(parsed).filter((name) => !isKnown(name)),
          at,
        ).toEqual([])
        const files = Object.keys(parsed).filter((name) => name.endsWith('_FILE'))
        const values = {
          ...parsed,
          ...Object.fromEntries(
            files.flatMap((name) => [
              [name, undefined],
              [name.slice(0, -5), 'x'.repeat(40)],
            ]),
          ),
        }
        expect(readVariables(variables, values, nowhere).mistakes, at).toEqual([])
        read.env += 1
      }
      if (language === 'yaml') {
        for (const document of parseAllDocuments(text))
          expect('errors' in document ? document.errors : [], at).toEqual([])
        read.yaml += 1
      }
      if (language === 'json') {
        expect(() => JSON.parse(text), at).not.toThrow()
        read.json += 1
      }
      expect(languages, at).toContain(language)
    }
  expect(Math.min(...Object.values(read))).toBeGreaterThan(0)
})

test('docs/trouble.md quotes messages as ToolBox prints them', () => {
  const sources = ['src/platform', 'src/backups', 'src/cli'].flatMap((folder) =>
    globSync(`${folder}/**/*.ts`, { cwd: root }).map((path) => readFileSync(join(root, path), 'utf8')),
  )
  const sourceText = [...sources, readFileSync(join(root, 'src/main.ts'), 'utf8')].join('\n')
  const [table = ''] = byPath.get('docs/trouble.md')!.text.split('| It says | Do |')[1]!.split('\n\n')
  const sentences = [...table.matchAll(/^\| (.+?) \| /gm)].map(([, sentence = '']) => sentence)
  expect(sentences.length).toBeGreaterThan(6)
  const unsaid = sentences.filter((sentence) => !sentence.split('…').every((part) => sourceText.includes(part.trim())))
  expect(unsaid).toEqual([])
})

test('the docs of the tools name settings as the forms do', () => {
  const forms = globSync(['src/{entries,tools/*}/pages/**/*.{ts,tsx}', 'src/ui/form/**/*.tsx'], { cwd: root })
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n')
  const settings = pages.flatMap((page) => {
    const [, table = ''] = page.text.split('| Setting | Default | Meaning |\n|---|---|---|\n')
    const rows = table.split('\n\n')[0]!.matchAll(/^\| (.+?) \|/gm)
    return [...rows].flatMap(([, names = '']) => names.split(', '))
  })
  expect(settings.length).toBeGreaterThan(8)
  const isShown = (name: string) => [`"${name}"`, `>${name}<`, `label: '${name}'`].some((text) => forms.includes(text))
  expect(settings.filter((name) => !isShown(name))).toEqual([])
})

test('docs/configure.md lists every variable with its default', () => {
  const rows = [...byPath.get('docs/configure.md')!.text.matchAll(/^\| `([A-Z_]+)` \| (.*?) ?\| (.*?) ?\|$/gm)]
  const described = Object.fromEntries(rows.map(([, name = '', value = '']) => [name, value.trim()]))
  expect(described).toEqual(Object.fromEntries(found.map(({ name, text }) => [name, text ?? ''])))
  expect(rows).toHaveLength(found.length)
})

test('variables and API calls named in the docs exist', () => {
  const routes = rowsOf(readFileSync(join(root, 'test/matrix/routes.txt'), 'utf8')).map(({ method, url }) => {
    const path = url.replace(/\?.*/, '').replace('{tool}', ':tool')
    return { method, path: new RegExp(`^${path.replace(/[.*]/g, '\\$&').replace(/:[a-z]+/g, '[^/]+')}$`) }
  })
  const mistakes = current.flatMap((page) =>
    page.spans.flatMap((span) => {
      const [, name] = /^([A-Z]+(?:_[A-Z]+)+)(?:=.*)?$/.exec(span) ?? []
      if (name !== undefined && !isKnown(name)) return [formatMistake(page, `no variable ${span}`)]
      const [, method, url = ''] = /^(GET|POST|PUT|PATCH|DELETE) (\/[^\s…]*)$/.exec(span) ?? []
      if (method === undefined) return []
      const path = url.replace(/\?.*/, '')
      const exists = routes.some((route) => route.method === method && route.path.test(path))
      return exists ? [] : [formatMistake(page, `no call ${span}`)]
    }),
  )
  expect(mistakes).toEqual([])
})
