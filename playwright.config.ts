import { defineConfig } from '@playwright/test'
import { launchOptions } from './test/support/browser.ts'

export default defineConfig({
  testDir: 'test',
  testMatch: '**/*.spec.ts',
  outputDir: 'test-results',
  forbidOnly: true,
  workers: '100%',
  // What is waited for may come late on a busy machine; it is there or it is not.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  reporter: 'line',
  use: {
    // A new context costs as much as its first page; what a test leaves in this one is taken back (test/support/page/kit.ts).
    reuseContext: true,
    actionTimeout: 30_000,
    // Nobody here has eyes for it; what moves is watched where it is the subject.
    reducedMotion: 'reduce',
    screenshot: 'only-on-failure',
    launchOptions: launchOptions(),
  },
})
