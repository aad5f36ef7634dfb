import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

// What one process has compiled, the others need not compile again.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '.tmp', 'compiled')

const all = ['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts', 'scripts/**/*.test.mjs']
/** What a file names whose tests leave something behind in their process; some modules keep what such tests replace. */
const leavesTraces = /\bvi\.(?:mock|unmock|stub)|process\.env|child_process|\/process\.ts/
const alone = globSync(all, { cwd: import.meta.dirname }).filter((file) =>
  leavesTraces.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
)

const common = {
  setupFiles: ['test/support/set-up.ts'],
  // What is waited for may come late on a busy machine; it is there or it is not.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 20_000 } },
}

export default defineConfig({
  test: {
    globalSetup: ['test/support/database/postgres.ts'],
    // The tests wait for half of their time; the default leaves a core to vitest itself, which has next to nothing to do.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    projects: [
      { test: { ...common, name: 'alone', include: alone } },
      // What the whole server imports takes a second: these files use it in turn.
      { test: { ...common, name: 'together', include: all, exclude: alone, isolate: false } },
    ],
  },
})
