import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const space = /^\s*(?:(?:scroll-)?(?:padding|margin)(?:-[a-z-]+)?|(?:row-|column-)?gap):[^;]*;/gm
const length = /\d(?:px|r?em|ch|vw|vh)\b/

/** Paddings, margins and gaps of a style sheet that are not steps of the scale in tokens.css. */
export const literalsIn = (css: string): string[] =>
  (css.replace(/\/\*.*?\*\//gs, '').match(space) ?? [])
    .map((found) => found.trim())
    .filter((found) => length.test(found))

/** The same of every style sheet of the page. */
export const spacingMistakes = (root: string): string[] =>
  globSync(
    'src/{ui/**,people/**,notices/**,sign-in/**,admission/**,profile/**,admin/**,entries/**,status/**,tools/**}/*.css',
    { cwd: root },
  ).flatMap((path) =>
    literalsIn(readFileSync(join(root, path), 'utf8')).map((found) => `${path}: ${found} Use var(--s-…).`),
  )

/** Classes that a page takes from a style sheet which lacks them, and style sheets that nobody imports. */
export function styleMistakes(root: string): string[] {
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const imported = new Set<string>()
  const unknown = globSync('src/**/*.{ts,tsx}', { cwd: root }).flatMap((path) => {
    const source = read(path)
    return [...source.matchAll(/^import (\w+) from '(.+\.module\.css)'/gm)].flatMap(([, name, from = '']) => {
      const sheet = join(dirname(path), from)
      imported.add(sheet)
      const css = read(sheet)
      const used = new Set(
        [...source.matchAll(new RegExp(`(?<![\\w./-])${name}\\.(\\w+)`, 'g'))].map(([, found]) => found),
      )
      return [...used]
        .filter((found) => !new RegExp(`\\.${found}(?![\\w-])`).test(css))
        .map((found) => `${path}: ${sheet} has no class ${found}.`)
    })
  })
  const left = globSync('src/**/*.module.css', { cwd: root }).filter((path) => !imported.has(path))
  return [...unknown, ...left.map((path) => `${path}: nobody imports it.`)]
}
