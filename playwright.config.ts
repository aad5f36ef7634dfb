import { defineConfig } from '@playwright/test'
import { browserEnv } from './test/browser.ts'

// Worker processes read this file again and find the answer here.
if (!process.env.TOOLBOX_BROWSER) Object.assign(process.env, browserEnv())

export default defineConfig({
  testDir: 'test/e2e',
  outputDir: 'test-results',
  forbidOnly: true,
  workers: 1,
  timeout: 60_000,
  reporter: 'line',
  use: {
    actionTimeout: 10_000,
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: process.env.TOOLBOX_BROWSER ?? '',
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    },
  },
})
