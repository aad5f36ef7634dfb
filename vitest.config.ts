import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts', 'scripts/**/*.test.mjs'],
    globalSetup: ['test/postgres.ts'],
    setupFiles: ['test/no-console-error.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
