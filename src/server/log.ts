import { type Logger, type LoggerOptions, pino } from 'pino'
import { redact, redactValue } from './redact.ts'

/** The program's log: one JSON line an event without secrets, on standard output; pretty on a terminal. */
export function createLog(level: string): Logger {
  const pretty = { transport: { target: 'pino-pretty', options: { singleLine: true } } }
  return pino({ ...options, level, ...(process.stdout.isTTY ? pretty : {}) })
}

/** What keeps secrets out of every line, wherever it goes. */
export const options: LoggerOptions = {
  base: null,
  formatters: { log: (fields) => ({ ...fields, ...Object(redactValue(fields)) }) },
  // Errors are made plain above.
  serializers: { err: (error) => error },
  hooks: {
    logMethod(words, method) {
      const [first, message, ...rest] = words
      if (first instanceof Error) return method.call(this, { err: first }, redact(first.message))
      method.call(this, hide(first), hide(message), ...rest.map(hide))
    },
  },
}

const hide = <T>(word: T) => (typeof word === 'string' ? redact(word) : word)
