import { defineConfig } from '@playwright/test'
import { launchOptions } from './test/support/browser.ts'
import { isStressed } from './test/support/page/stress.ts'
import { releaseTag, testRun } from './test/support/test-run.ts'

/** Whether pages are painted, for a screenshot of each failing test. Assertions need layout, but no pixels. */
const draws = (process.env.TOOLBOX_DRAW ?? process.env.SHOTS) !== undefined
/** Turns off work that an unwatched browser doesn't need; saves a quarter of its CPU time. */
const spared = [
  // Pages close before optimized code would pay off its compilation.
  '--js-flags=--no-maglev --no-opt',
  // Avoids a separate network process that all traffic would pass through.
  '--enable-features=NetworkServiceInProcess2',
  ...['--use-gl=angle', '--use-angle=swiftshader', '--ignore-gpu-blocklist', '--disable-gl-drawing-for-tests'],
]
const { args, ...options } = launchOptions()
// Playwright matches this against the file name and the title of each test.
const ofWholeRun = new RegExp(`\\.release\\.spec\\.ts|${releaseTag}`)
const chosen = { usual: { grepInvert: ofWholeRun }, beyond: { grep: ofWholeRun }, all: {} }[testRun()]

export default defineConfig({
  testDir: 'test',
  testMatch: '**/*.spec.ts',
  outputDir: 'test-results',
  ...chosen,
  forbidOnly: true,
  // Tests mostly wait for pages: one per core would leave the cores partly idle.
  workers: '150%',
  // Each step has its own limit. A test of many screens may take minutes on a busy machine; this only ends one that hangs.
  timeout: 600_000,
  expect: { timeout: 30_000 },
  reporter: 'line',
  use: {
    actionTimeout: 30_000,
    // Animations would only slow tests down; tests about motion turn them back on.
    reducedMotion: 'reduce',
    // No screenshots: they take longer than the test itself.
    trace: isStressed ? { mode: 'retain-on-failure', screenshots: false } : 'off',
    screenshot: draws ? 'only-on-failure' : 'off',
    launchOptions: { ...options, args: draws ? args : [...args, ...spared] },
  },
})
