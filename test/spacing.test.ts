import { expect, test } from 'vitest'
import { literalsIn } from './spacing.ts'

test('finds paddings, margins and gaps that are not steps of the scale', () => {
  const css = `.a {
  margin: 0 calc(-1 * var(--s-4)) auto;
  padding: calc(var(--header-h) + 1rem) var(--s-4);
  row-gap: 5px;
  width: 3rem;
  /* margin: 1rem; */
  scroll-padding-right:
    0.5em;
}`
  expect(literalsIn(css)).toEqual([
    'padding: calc(var(--header-h) + 1rem) var(--s-4);',
    'row-gap: 5px;',
    'scroll-padding-right:\n    0.5em;',
  ])
})
