import { setTimeout as pause } from 'node:timers/promises'
import type { Milliseconds } from '../../src/shared/time.ts'
import { every, type Stage } from './stage.ts'

export const now = (): Milliseconds => performance.now()

/** Waits until both instances have work in flight, then sends further calls only to the second. */
export async function shareWork(stage: Stage): Promise<void> {
  stage.slowTargets(2_000)
  await pause(2 * every)
  stage.use(1)
}

export async function openAllConnections(stage: Stage): Promise<void> {
  for (let tries = 0; tries < 20 && stage.toDatabase.open() < 10; tries += 1) await queryAllConnections(stage)
  stage.load.excuseUntilRecovered()
}

/** Makes enough concurrent calls to use every connection. */
export const queryAllConnections = (stage: Stage) =>
  Promise.all(Array.from({ length: 40 }, () => stage.call('GET', '/api/v1/keepalive/list')))

/** Expects that the first server reported itself unready in time, for one of these reasons, and stayed unready. */
export function expectUnready(stage: Stage, since: Milliseconds, words: readonly string[], within: number): void {
  const looks = stage.watch.readiness(since)
  const unready = looks.filter(({ ready }) => !ready)
  const firstMatch = unready.find(({ why }) => words.includes(why))
  const took = Math.round(((firstMatch?.at ?? Number.POSITIVE_INFINITY) - since) / 1_000)
  const reasons = [...new Set(unready.map(({ why }) => why))].join(', ')
  stage.expect(took <= within, `/readyz said ${reasons || 'ready'} where ${words.join(' or ')} was due in ${within} s`)
  const early = looks.filter(({ at, ready }) => ready && firstMatch && at > firstMatch.at).length
  stage.expect(early === 0, `/readyz said ${early} times that it is ready while the fault lasted`)
}

/** Expects that no entry ran twice within half its interval since that moment. */
export function expectSteady(stage: Stage, since: Milliseconds, when: string): void {
  const bunched = stage.awake().filter(([, times]) => {
    const recent = times.filter((at) => at >= since - every)
    return recent.some((at, index) => index > 0 && at - recent[index - 1]! < every / 2)
  })
  stage.expect(bunched.length === 0, `${bunched.length} entries ran twice within half their interval (${when})`)
}

/** Expects a start to fail with an error message that names this, without a stack trace. */
export async function expectNoStart(stage: Stage, named: string): Promise<void> {
  const message = await stage.start().then(
    () => 'it started',
    (error: Error) => error.message,
  )
  await stage.end('SIGKILL')
  const isSentence = message.includes(named) && !/^ +at /m.test(message)
  stage.expect(isSentence, `a start that had to fail did not name ${named} in a sentence: ${message.slice(0, 200)}`)
}

export const linesOf = (stage: Stage) => stage.running[0]?.printed().split('\n').length ?? 0

export async function failedRuns(stage: Stage): Promise<number> {
  let failures = 0
  for (const id of stage.ids) {
    const { history } = Object((await stage.call('GET', `/api/v1/keepalive?id=${id}`)).body)
    failures += Array.isArray(history) ? history.filter(({ success }) => !success).length : 1
  }
  return failures
}
