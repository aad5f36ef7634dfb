import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

// Every test file has a process of its own: what one has compiled, the others need not compile again.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '.tmp', 'compiled')

export default defineConfig({
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts', 'scripts/**/*.test.mjs'],
    globalSetup: ['test/support/database/postgres.ts'],
    setupFiles: ['test/support/set-up.ts'],
    // The tests wait for half of their time; the default leaves a core to vitest itself, which has next to nothing to do.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // What is waited for may come late on a busy machine; it is there or it is not.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
  },
})
