import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import type { Read } from './config-values.ts'

export type Env = Readonly<Record<string, string | undefined>>
export type Source = 'default' | 'environment' | '.env' | 'file'
/** What one variable came to, for the operator to read. */
export type Found = { name: string; text: string | undefined; source: Source }

/** The operator wrote something that cannot be; `mistakes` are all of them, a sentence each. */
export class ConfigError extends Error {
  readonly mistakes: readonly string[]
  constructor(mistakes: readonly string[]) {
    super(`The configuration is wrong:\n${mistakes.map((mistake) => `  - ${mistake}`).join('\n')}`)
    this.name = 'ConfigError'
    this.mistakes = mistakes
  }
}

/** The program cannot start as things are; the message says to the operator what to do. */
export class StartError extends Error {}

/** Reads variables by name from the environment, then from `.env` in this folder, and collects every mistake. */
export function reader(env: Env, folder: string) {
  const dotenv = join(folder, '.env')
  const layers: [Source, Env][] = [['environment', env]]
  if (existsSync(dotenv)) layers.push(['.env', parseEnv(readFileSync(dotenv, 'utf8'))])
  const mistakes: string[] = []
  const found: Found[] = []

  function look(name: string): { text: string; source: Source } | undefined {
    for (const [source, values] of layers) {
      const [text, file] = [values[name]?.trim(), values[`${name}_FILE`]?.trim()]
      if (text && file) mistakes.push(`${name} and ${name}_FILE are both given; leave one out.`)
      if (text) return { text, source }
      if (file) return fromFile(name, resolve(folder, file))
    }
    return undefined
  }

  function fromFile(name: string, path: string): { text: string; source: Source } | undefined {
    try {
      const text = readFileSync(path, 'utf8').trim()
      if (text) return { text, source: 'file' }
      mistakes.push(`${name}_FILE names ${path}, which is empty.`)
    } catch {
      mistakes.push(`${name}_FILE names ${path}, which cannot be read.`)
    }
    return undefined
  }

  /** The value of a variable, by default that of this text. A wrong one is noted and the default stands in. */
  function value<T>(name: string, read: Read<T>, byDefault: string): T
  function value<T>(name: string, read: Read<T>): T | undefined
  function value<T>(name: string, read: Read<T>, byDefault?: string): T | undefined {
    const given = look(name)
    found.push({ name, text: given?.text ?? byDefault, source: given?.source ?? 'default' })
    try {
      if (given) return read(given.text)
    } catch (error) {
      mistakes.push(`${name} ${(error as Error).message}.`)
    }
    return byDefault === undefined ? undefined : read(byDefault)
  }

  return { value, mistakes, found }
}
