import { relative } from 'node:path'
import type { FullResult, Reporter, TestCase, TestError } from '@playwright/test/reporter'
import { briefly, leaveTally, type Remark, sortSkipped, type Tally } from './tally.ts'

/** Counts the results of Playwright's tests, including errors outside of any test. */
export default class TallyOfBrowser implements Reporter {
  readonly #tests = new Map<string, TestCase>()
  readonly #stray: Remark[] = []

  onTestEnd(test: TestCase): void {
    this.#tests.set(test.id, test)
  }

  onError(error: TestError): void {
    this.#stray.push({ test: 'outside of any test', why: say([error]) })
  }

  onEnd({ status }: FullResult): void {
    const having = (outcome: string) => [...this.#tests.values()].filter((test) => test.outcome() === outcome)
    const { notTried, failed } = sortSkipped(having('skipped').map(skippedTest))
    const tally: Tally = {
      passed: having('expected').length,
      unsteady: having('flaky').map(remarkOn),
      notTried,
      failed: [...failed, ...having('unexpected').map(remarkOn), ...this.#stray],
    }
    if (status !== 'passed' && tally.failed.length === 0) tally.failed.push({ test: 'the run', why: `it ${status}` })
    leaveTally(tally)
  }
}

const skippedTest = (test: TestCase) => ({
  remark: remarkOn(test),
  reason: test.annotations.find(({ type }) => type === 'skip')?.description,
})

const say = (errors: readonly TestError[]) =>
  briefly(errors.map(({ stack, message }) => stack ?? message ?? 'no words'))

const remarkOn = (test: TestCase): Remark => ({
  test: test.titlePath().filter(Boolean).join(' > '),
  why: say(test.results.flatMap(({ errors }) => errors)),
  rerun: `node node_modules/@playwright/test/cli.js test ${relative(process.cwd(), test.location.file)}:${test.location.line}`,
})
