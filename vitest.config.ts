import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { releaseTests, testRun } from './test/support/test-run.ts'

// What one process has compiled, the others need not compile again.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '.tmp', 'compiled')

const contentOf = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8')
const isInRun = {
  usual: (file: string) => !releaseTests.test(file),
  beyond: (file: string) => releaseTests.test(file) || /\bdialects\b/.test(contentOf(file)),
  all: () => true,
}[testRun()]
const all = ['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts', 'scripts/**/*.test.mjs']
const files = globSync(all, { cwd: import.meta.dirname }).filter(isInRun)
const those = (pattern: RegExp) => files.filter((file) => pattern.test(file) || pattern.test(contentOf(file)))

/** What a file names whose tests leave something behind in their process, or that Node can't read by itself. */
const alone = those(/\bvi\.(?:mock|unmock|stub)|\bsetDefaultCACertificates\b|\.test\.tsx$/)
/** What a file names whose tests take long: they wait for processes. */
const slow = new Set(those(/child_process|\/process\.ts/))

const isSlow = ({ moduleId }: TestSpecification) =>
  slow.has(moduleId.slice(import.meta.dirname.length + 1).replaceAll('\\', '/'))

/** Those that use a process in turn come last, and among them the slow ones first, so that nobody waits for one of those at the end. */
class SlowOnesFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]) {
    const rank = (one: TestSpecification) => (one.project.name === 'together' ? (isSlow(one) ? 1 : 2) : 0)
    return (await super.sort(specifications)).sort((a, b) => rank(a) - rank(b))
  }
}

const common = {
  setupFiles: ['test/support/set-up.ts'],
  // What is waited for may come late on a busy machine; it is there or it is not.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
}

export default defineConfig({
  test: {
    globalSetup: ['test/support/database/postgres.ts'],
    // The tests wait for half of their time; the default leaves a core to vitest itself, which has next to nothing to do.
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
          // What the whole server imports takes a second: these files use it in turn.
          isolate: false,
          // Node reads them by itself, as it reads the server.
          experimental: { viteModuleRunner: false, nodeLoader: false },
        },
      },
    ],
  },
})
