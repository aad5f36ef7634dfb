import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

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
    {
      cwd: root,
    },
  ).flatMap((path) =>
    literalsIn(readFileSync(join(root, path), 'utf8')).map((found) => `${path}: ${found} Use var(--s-…).`),
  )
