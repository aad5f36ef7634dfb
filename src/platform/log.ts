import { writeSync } from 'node:fs'
import { type Logger, type LoggerOptions, pino } from 'pino'
import { type Milliseconds, minutes } from '../shared/time.ts'
import { redact, redactValue } from './crypto/redact.ts'

/** The program's log on standard output: one JSON line per event, without secrets; pretty-printed on a terminal. */
export function createLog(level: string): Logger {
  const options = { ...logOptions(), level }
  if (!process.stdout.isTTY) return pino(options, { write: (line: string) => writeLine(1, line) })
  return pino({ ...options, transport: { target: 'pino-pretty', options: { singleLine: true } } })
}

/** Options that keep secrets, and repetitions of an error within `repeatAfter`, out of the log. */
export function logOptions(repeatAfter: Milliseconds = minutes(1)): LoggerOptions {
  const isRepeated = repetitions(repeatAfter)
  return {
    base: null,
    formatters: { log: (fields) => ({ ...fields, ...Object(redactValue(fields)) }) },
    // The formatter above serializes errors.
    serializers: { err: (error) => error },
    hooks: {
      logMethod([first, message, ...rest], method) {
        const fields = first instanceof Error ? { err: first } : first
        const words = first instanceof Error ? first.message : message
        const write = (more: object = {}) =>
          method.call(this, isObject(fields) ? { ...fields, ...more } : hide(fields), hide(words), ...rest.map(hide))
        if (isObject(fields) && 'err' in fields && isRepeated(`${words} ${fields.err}`, write)) return
        write()
      },
    },
  }
}

/** Counts repetitions of a line within this time, then logs how many were omitted. */
function repetitions(after: Milliseconds) {
  const leftOut = new Map<string, { count: number; write: (more: object) => void }>()

  function begin(key: string) {
    setTimeout(() => {
      const { count, write } = leftOut.get(key)!
      leftOut.delete(key)
      if (count === 0) return
      write({ leftOut: count })
      begin(key)
    }, after).unref()
    leftOut.set(key, { count: 0, write: () => {} })
  }

  return (key: string, write: (more: object) => void): boolean => {
    const entry = leftOut.get(key)
    if (!entry) {
      begin(key)
      return false
    }
    leftOut.set(key, { count: entry.count + 1, write })
    return true
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const hide = <T>(word: T) => (typeof word === 'string' ? redact(word) : word)

const tries = 20
const pause: Milliseconds = 5
let isBlocked = false

/** Writes a line or drops it: a full disk or a pipe that is not read must not stop the program. */
export function writeLine(fd: number, line: string): void {
  let rest = Buffer.from(line)
  for (let remainingTries = isBlocked ? 1 : tries; remainingTries > 0 && rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(fd, rest))
    } catch (error) {
      if (Object(error).code !== 'EAGAIN') return
      remainingTries -= 1
      if (remainingTries > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause)
    }
  }
  isBlocked = rest.length > 0
}
