import type { Page } from '@playwright/test'
import axe from 'axe-core'
import { expect } from './kit.ts'

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const ofColours = ['color-contrast', 'link-in-text-block']

// A colour on its way to another is no colour to judge; the end of one such way may be the start of another.
const settle = `{
  const moving = document.getAnimations().filter((one) =>
    one.playState !== 'finished' && one.effect.getComputedTiming().endTime !== Infinity)
  for (const one of moving) one.finish()
  moving.length
}`

/** Every barrier on this screen as one line each, in the light theme and in the dark one, by WCAG's rules or by all. */
export async function barriers(page: Page, by: 'wcag' | 'all' = 'wcag'): Promise<string[]> {
  const ofLight = by === 'wcag' ? ({ type: 'tag', values: rules } as const) : undefined
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await expect(page.locator('html.dark')).toHaveCount(colorScheme === 'dark' ? 1 : 0)
    await expect.poll(() => page.evaluate(settle)).toBe(0)
    // A theme changes colours and nothing else.
    const lines = await violations(page, colorScheme === 'light' ? ofLight : { type: 'rule', values: ofColours })
    found.push(...lines.map((line) => `${colorScheme} ${line}`))
  }
  return found
}

type RunOnly = { type: 'tag' | 'rule'; values: readonly string[] }

/** What axe finds on this screen as it is, by these rules or by all. */
export async function violations(page: Page, runOnly?: RunOnly): Promise<string[]> {
  // Handing it to a page takes as long as a look; a page that was looked at before has it.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  // Nobody reads what passed.
  return page.evaluate<string[]>(`axe.run(${JSON.stringify({ runOnly, resultTypes: ['violations'] })}).then((found) =>
    found.violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ': ' + node.html + ' ' + node.failureSummary)))`)
}

/** On a phone nothing is left to scroll to sideways, once the screen has found its new shape. */
export async function fitsPhone(page: Page, path: string) {
  await page.setViewportSize({ width: 360, height: 740 })
  const hidden = () => page.evaluate('document.documentElement.scrollWidth - innerWidth')
  await expect.poll(hidden, { message: path }).toBe(0)
  await page.setViewportSize({ width: 1280, height: 800 })
}
