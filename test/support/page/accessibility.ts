import type { Page } from '@playwright/test'
import axe from 'axe-core'
import { expect } from './kit.ts'

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const colourRules = ['color-contrast', 'link-in-text-block']

// Colours can't be judged during a transition. Finishing one animation may start another.
const finishAnimations = `{
  const moving = document.getAnimations().filter((one) =>
    one.playState !== 'finished' && one.effect.getComputedTiming().endTime !== Infinity)
  for (const one of moving) one.finish()
  moving.length
}`

/** Accessibility violations on this screen, one line each, in both themes, by WCAG's rules or by all of axe's. */
export async function accessibilityViolations(page: Page, by: 'wcag' | 'all' = 'wcag'): Promise<string[]> {
  const ofLight = by === 'wcag' ? ({ type: 'tag', values: rules } as const) : undefined
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await expect(page.locator('html.dark')).toHaveCount(colorScheme === 'dark' ? 1 : 0)
    await expect.poll(() => page.evaluate(finishAnimations)).toBe(0)
    // Themes differ only in colors, so the dark one is checked only for those.
    const lines = await violations(page, colorScheme === 'light' ? ofLight : { type: 'rule', values: colourRules })
    found.push(...lines.map((line) => `${colorScheme} ${line}`))
  }
  return found
}

type RunOnly = { type: 'tag' | 'rule'; values: readonly string[] }

export async function violations(page: Page, runOnly?: RunOnly): Promise<string[]> {
  // Injecting axe takes as long as a check, so skip it if the page already has it.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  return page.evaluate<string[]>(`axe.run(${JSON.stringify({ runOnly, resultTypes: ['violations'] })}).then((found) =>
    found.violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ': ' + node.html + ' ' + node.failureSummary)))`)
}

/** Expects no horizontal overflow at a phone's width, once the layout has settled. */
export async function expectFitsPhone(page: Page, path: string) {
  await page.setViewportSize({ width: 360, height: 740 })
  const hidden = () => page.evaluate('document.documentElement.scrollWidth - innerWidth')
  await expect.poll(hidden, { message: path }).toBe(0)
  await page.setViewportSize({ width: 1280, height: 800 })
}

/** Expects that a screen has no accessibility violations and fits a phone. */
export async function expectUsable(page: Page, path: string) {
  expect.soft(await accessibilityViolations(page), path).toEqual([])
  await expectFitsPhone(page, path)
}
