import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { releaseTests, testRun } from './test/support/test-run.ts'

// Worker processes share one compile cache.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '.tmp', 'compiled')

const contentOf = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8')
const isInRun = {
  usual: (file: string) => !releaseTests.test(file),
  beyond: (file: string) => releaseTests.test(file) || /\b(?:d|racingD)ialects\b/.test(contentOf(file)),
  all: () => true,
}[testRun()]
const all = ['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts', 'scripts/**/*.test.mjs']
const files = globSync(all, { cwd: import.meta.dirname }).filter(isInRun)
const those = (pattern: RegExp) => files.filter((file) => pattern.test(file) || pattern.test(contentOf(file)))

/** Files that change process-wide state or contain JSX, which Node can't load: each gets a process of its own. */
const alone = those(/\bvi\.(?:mock|unmock|stub)|\bsetDefaultCACertificates\b|\.test\.tsx$/)
/** Slow files: their tests wait for child processes. */
const slow = new Set(those(/child_process|\/process\.ts/))

const isSlow = ({ moduleId }: TestSpecification) =>
  slow.has(moduleId.slice(import.meta.dirname.length + 1).replaceAll('\\', '/'))

/** Runs files that share a process last, the slow ones among them first, so that no slow file prolongs the run. */
class SlowOnesFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]) {
    const rank = (one: TestSpecification) => (one.project.name === 'together' ? (isSlow(one) ? 1 : 2) : 0)
    return (await super.sort(specifications)).sort((a, b) => rank(a) - rank(b))
  }
}

const common = {
  setupFiles: ['test/support/set-up.ts'],
  // Generous, because a busy machine responds late; a passing test never waits this long.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
}

export default defineConfig({
  test: {
    globalSetup: ['test/support/database/postgres.ts'],
    // Tests spend half their time waiting. Vitest's default also reserves a core for itself, which it barely uses.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    sequence: { sequencer: SlowOnesFirst },
    projects: [
      { test: { ...common, name: 'alone', include: alone } },
      {
        test: {
          ...common,
          name: 'together',
          include: files,
          exclude: alone,
          // Importing the whole server takes a second, so these files share it, one after another.
          isolate: false,
          // Node loads these files natively, as it loads the server.
          experimental: { viteModuleRunner: false, nodeLoader: false },
        },
      },
    ],
  },
})
