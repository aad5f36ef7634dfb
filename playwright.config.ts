import { defineConfig } from '@playwright/test'
import { launchOptions } from './test/support/browser.ts'
import { isStressed } from './test/support/page/stress.ts'
import { releaseTag, testRun } from './test/support/test-run.ts'

/** Whether pages are drawn, for a picture of each test that fails. What tests look at is laid out, but needs no pixel. */
const draws = (process.env.TOOLBOX_DRAW ?? process.env.SHOTS) !== undefined
/** What a browser that nobody looks at need not do: a quarter of its CPU time. */
const spared = [
  // A page is gone before its program, compiled better, would have paid for that.
  '--js-flags=--no-maglev --no-opt',
  // What comes over the network would go through a process of its own.
  '--enable-features=NetworkServiceInProcess2',
  ...['--use-gl=angle', '--use-angle=swiftshader', '--ignore-gpu-blocklist', '--disable-gl-drawing-for-tests'],
]
const { args, ...options } = launchOptions()
// Playwright holds it against the name of the file and the title of a test.
const ofWholeRun = new RegExp(`\\.release\\.spec\\.ts|${releaseTag}`)
const chosen = { usual: { grepInvert: ofWholeRun }, beyond: { grep: ofWholeRun }, all: {} }[testRun()]

export default defineConfig({
  testDir: 'test',
  testMatch: '**/*.spec.ts',
  outputDir: 'test-results',
  ...chosen,
  forbidOnly: true,
  workers: '100%',
  // What is waited for may come late on a busy machine; it is there or it is not.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  reporter: 'line',
  use: {
    actionTimeout: 30_000,
    // Nobody here has eyes for it; what moves is watched where it is the subject.
    reducedMotion: 'reduce',
    // Without pictures, which cost more than a test itself does.
    trace: isStressed ? { mode: 'retain-on-failure', screenshots: false } : 'off',
    screenshot: draws ? 'only-on-failure' : 'off',
    launchOptions: { ...options, args: draws ? args : [...args, ...spared] },
  },
})
