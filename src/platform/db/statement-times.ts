import type { Milliseconds } from '../../shared/time.ts'

export type StatementKind = 'read' | 'write' | 'commit'
type Listener = (kind: StatementKind, took: Milliseconds) => void

/** Reports the duration of each statement to a listener, including failed ones. */
export function statementTimes() {
  let report: Listener = () => {}
  return {
    onStatement(listener: Listener) {
      report = listener
    },
    ended: (kind: StatementKind, began: Milliseconds) => report(kind, performance.now() - began),
  }
}
export type StatementTimes = ReturnType<typeof statementTimes>

/** Whether a statement only reads, judging by its text. */
export const looksLikeRead = (text: string): boolean => reading.test(text)
const reading = /^\s*(?:select\b|with\b(?!.*?\b(?:insert|update|delete|replace)\b))/is
