import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node'
import { briefly, leaveTally, type Remark, sortSkipped, type Tally } from './tally.ts'

type Trouble = {
  message?: string | undefined
  stack?: string | undefined
  diff?: string | undefined
  cause?: Trouble | undefined
}

/** Counts the results of vitest's tests, including files that failed to load and errors outside of any test. */
export default class TallyOfUnits implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], stray: readonly Trouble[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const flaky = tests.filter((test) => test.result().state === 'passed' && test.diagnostic()?.flaky)
    const inState = (state: string) => tests.filter((test) => test.result().state === state)
    const { notTried, failed } = sortSkipped(inState('skipped').map(skippedTest))
    const suites = modules.flatMap((module) => [module, ...module.children.allSuites()])
    const tally: Tally = {
      passed: inState('passed').length - flaky.length,
      unsteady: flaky.map(remarkOn),
      notTried,
      failed: [
        ...failed,
        ...[...inState('failed'), ...inState('pending')].map(remarkOn),
        ...suites
          .filter((suite) => suite.errors().length > 0)
          .map((suite) => ({ test: nameOf(suite), why: say(suite.errors()), rerun: runOf(moduleOf(suite)) })),
        ...stray.map((error) => ({ test: 'outside of any test', why: say([error]) })),
      ],
    }
    leaveTally(tally)
  }
}

function skippedTest(test: TestCase) {
  const result = test.result()
  return { remark: remarkOn(test), reason: result.state === 'skipped' ? result.note : undefined }
}

const moduleOf = (task: TestModule | TestSuite | TestCase) => (task.type === 'module' ? task : task.module)
const nameOf = (task: TestModule | TestSuite | TestCase): string =>
  task.type === 'module' ? task.relativeModuleId : `${task.module.relativeModuleId} > ${task.fullName}`
const runOf = (module: TestModule) => `node node_modules/vitest/vitest.mjs run ${module.relativeModuleId}`
const say = (errors: readonly Trouble[]) => briefly(errors.flatMap(words))
const words = ({ stack, message, diff, cause }: Trouble): string[] => [
  stack ?? message ?? 'no words',
  ...(diff ? [changesIn(diff)] : []),
  ...(cause ? words(cause).map((text) => `caused by ${text}`) : []),
]

const changesIn = (diff: string) =>
  briefly([diff], Infinity)
    .split('\n')
    .filter((line) => /^[-+] /.test(line))
    .slice(0, 8)
    .join('\n')

const remarkOn = (test: TestCase): Remark => ({
  test: nameOf(test),
  why: say(test.result().errors ?? []),
  rerun: `${runOf(test.module)} -t ${quoted(test.name)}`,
})

/** Quotes a title for the shell, as a pattern for vitest. */
const quoted = (title: string) => `'${title.replaceAll(/[\\^$.*+?()[\]{}|']/g, '.')}'`
