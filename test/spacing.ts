import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const space = /^\s*(?:(?:scroll-)?(?:padding|margin)(?:-[a-z-]+)?|(?:row-|column-)?gap):[^;]*;/gm
const length = /\d(?:px|r?em|ch|vw|vh)\b/

/** Finds paddings, margins and gaps of a style sheet that are not steps of the scale in tokens.css. */
export const literalsIn = (css: string): string[] =>
  (css.replace(/\/\*.*?\*\//gs, '').match(space) ?? [])
    .map((found) => found.trim())
    .filter((found) => length.test(found))

/** Reports such literals in all style sheets of the pages. */
export const spacingMistakes = (root: string): string[] =>
  globSync(
    'src/{ui/**,people/**,notices/**,sign-in/**,admission/**,profile/**,admin/**,entries/**,status/**,tools/**}/*.css',
    { cwd: root },
  ).flatMap((path) =>
    literalsIn(readFileSync(join(root, path), 'utf8')).map((found) => `${path}: ${found} Use var(--s-…).`),
  )

/** Reports classes that a module uses but its style sheet lacks, and style sheets that no module imports. */
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
  const unused = globSync('src/**/*.module.css', { cwd: root }).filter((path) => !imported.has(path))
  return [...unknown, ...unused.map((path) => `${path}: nobody imports it.`)]
}
