import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { type Milliseconds, seconds } from '../shared/time.ts'

const longestSilence: Milliseconds = seconds(10)

/** Asks the operator, line by line: at a terminal, or of what is piped in. */
export function openQuestions() {
  const { stdin, stdout } = process
  const state = { isHidden: false }
  const shown = new Writable({
    write(chunk, _encoding, done) {
      if (!state.isHidden) stdout.write(chunk)
      done()
    },
  })
  let lines: ReturnType<typeof createInterface> | undefined
  let next: AsyncIterator<string> | undefined
  return {
    /** Whether a person can answer once more. */
    isTerminal: stdin.isTTY === true,
    /** The next line; undefined if there is none. A hidden one is not shown while it is typed. */
    async ask(question: string, isHidden = false): Promise<string | undefined> {
      lines ??= createInterface({ input: stdin, output: shown, terminal: stdin.isTTY === true })
      next ??= lines[Symbol.asyncIterator]()
      if (stdin.isTTY) stdout.write(question)
      state.isHidden = isHidden
      const { value, done } = await nextLine(next, stdin.isTTY ? undefined : longestSilence)
      state.isHidden = false
      if (isHidden && stdin.isTTY) stdout.write('\n')
      return done ? undefined : String(value).trim()
    },
    close() {
      if (!lines) return
      lines.close()
      stdin.destroy()
    },
  }
}
export type Questions = ReturnType<typeof openQuestions>

/** The next line; none if a pipe stays silent for so long. */
async function nextLine(lines: AsyncIterator<string>, silence: Milliseconds | undefined) {
  if (silence === undefined) return lines.next()
  let timer: NodeJS.Timeout | undefined
  const silent = new Promise<IteratorResult<string>>((resolve) => {
    timer = setTimeout(() => resolve({ done: true, value: undefined }), silence)
  })
  try {
    return await Promise.race([lines.next(), silent])
  } finally {
    clearTimeout(timer)
  }
}
