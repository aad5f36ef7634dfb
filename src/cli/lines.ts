import { createReadStream } from 'node:fs'

/** The lines of a file. Only a line feed ends one: JSON may hold the other characters that readline takes for ends of lines. */
export async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(file, 'utf8')) {
    const [first = '', ...others] = String(chunk).split('\n')
    rest += first
    for (const next of others) {
      yield rest
      rest = next
    }
  }
  if (rest !== '') yield rest
}
