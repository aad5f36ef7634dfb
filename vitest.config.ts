import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts', 'scripts/**/*.test.mjs'],
    globalSetup: ['test/postgres.ts'],
    setupFiles: ['test/no-console-error.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What is waited for may come late on a busy machine; it is there or it is not.
    expect: { poll: { timeout: 10_000 } },
  },
})
