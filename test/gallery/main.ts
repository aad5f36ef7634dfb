import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium } from '@playwright/test'
import { launchOptions } from '../support/browser.ts'
import { openScene, type Scene } from './scene.ts'
import type { Shot } from './shot.ts'
import { shots } from './shots.ts'

const out = join(import.meta.dirname, '..', '..', 'gallery')
const themes = ['light', 'dark'] as const
const sizes = {
  phone: { width: 360, height: 740 },
  desktop: { width: 1280, height: 800 },
  wide: { width: 1920, height: 1080 },
} as const
type Look = { theme: (typeof themes)[number]; size: keyof typeof sizes }

const looks = themes.flatMap((theme) => Object.keys(sizes).map((size) => ({ theme, size }) as Look))
const words = process.argv.slice(2)

/** Writes screenshots of all screens and states to `gallery/`, or of those whose name contains one of the arguments. */
async function run() {
  const selected = shots.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))
  if (words.length === 0) rmSync(out, { recursive: true, force: true })
  const scene = await openScene()
  const browser = await chromium.launch(launchOptions())
  try {
    for (const look of looks) await series(browser, scene, look, selected)
  } finally {
    await browser.close()
    await scene.close()
  }
}

async function series(browser: Browser, scene: Scene, look: Look, selected: readonly Shot[]) {
  const folder = join(out, `${look.theme}-${look.size}`)
  mkdirSync(folder, { recursive: true })
  const contexts = new Map<Shot['as'], BrowserContext>()
  for (const shot of selected) {
    if (shot.only && shot.only !== look.size) continue
    const context = contexts.get(shot.as) ?? (await contextOf(browser, scene, look, shot.as))
    contexts.set(shot.as, context)
    await take(context, scene, shot, join(folder, `${shot.name}.png`)).catch((error: Error) => {
      console.log(`${look.theme} ${look.size} ${shot.name}: ${error.message.split('\n', 1)[0]}`)
      process.exitCode = 1
    })
  }
  for (const context of contexts.values()) await context.close()
  console.log(folder)
}

async function contextOf(browser: Browser, scene: Scene, { theme, size }: Look, who: Shot['as']) {
  const context = await browser.newContext({
    baseURL: scene.url,
    viewport: sizes[size],
    colorScheme: theme,
    reducedMotion: 'reduce',
    ...(size === 'phone' && { deviceScaleFactor: 2, hasTouch: true }),
    ...(who && { storageState: scene.sessions[who] }),
  })
  context.setDefaultTimeout(30_000)
  return context
}

async function take(context: BrowserContext, scene: Scene, shot: Shot, path: string) {
  const page = await context.newPage()
  try {
    await shot.before?.(page)
    await page.goto(shot.path(scene))
    await page.getByText(shot.shows).first().waitFor()
    await page.evaluate('document.fonts.ready')
    await shot.act?.(page)
    // The sticky header is drawn at the scroll position.
    if (!shot.window) await page.evaluate('scrollTo(0, 0)')
  } finally {
    // Failed states are worth a screenshot too.
    await page.screenshot({ path, fullPage: shot.window !== true, animations: 'disabled' })
    await page.close()
  }
}

await run()
