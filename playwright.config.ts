import { defineConfig } from '@playwright/test'
import { browserEnv } from './test/support/browser.ts'

// Worker processes read this file again and find the answer here.
if (!process.env.TOOLBOX_BROWSER) Object.assign(process.env, browserEnv())

export default defineConfig({
  testDir: 'test',
  testMatch: '**/*.spec.ts',
  outputDir: 'test-results',
  forbidOnly: true,
  workers: '100%',
  // What is waited for may come late on a busy machine; it is there or it is not.
  timeout: 180_000,
  expect: { timeout: 15_000 },
  reporter: 'line',
  use: {
    actionTimeout: 20_000,
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: process.env.TOOLBOX_BROWSER ?? '',
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    },
  },
})
