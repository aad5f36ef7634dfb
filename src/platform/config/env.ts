import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { hostingVariables } from './hosting.ts'

export type Env = Readonly<Record<string, string | undefined>>
export type Source = 'default' | 'hosting' | 'environment' | '.env' | 'file'
/** A variable's text; or a sentence that describes its mistake, and the text to show in its place. */
type RawVariable = { source: Source } & ({ text: string } | { mistake: string; displayText: string })

/** The configuration is invalid; `mistakes` lists all mistakes, one sentence each. */
export class ConfigError extends Error {
  readonly mistakes: readonly string[]
  constructor(mistakes: readonly string[]) {
    super(`Invalid configuration:\n${mistakes.map((mistake) => `  - ${mistake}`).join('\n')}`)
    this.name = 'ConfigError'
    this.mistakes = mistakes
  }
}

/** The program can't start; the message explains what the operator can do. */
export class StartError extends Error {}

/** Looks up variables by name: environment, `.env`, hosting service. NAME_FILE names a file that contains the value. */
export function variableReader(env: Env, folder: string): (name: string) => RawVariable | undefined {
  const layers: [Source, Env][] = [
    ['environment', env],
    ['.env', readDotenv(folder)],
    ['hosting', hostingVariables(env)],
  ]

  return (name) => {
    for (const [source, values] of layers) {
      const [text, file] = [values[name]?.trim(), values[`${name}_FILE`]?.trim()]
      if (text && file) return { ...setTwiceMistake(name), source }
      if (text) return { text, source }
      if (file) return readVariableFile(name, resolve(folder, file))
    }
    return undefined
  }
}

export const variableNames = (env: Env, folder: string): string[] =>
  Object.entries({ ...readDotenv(folder), ...env }).flatMap(([name, text]) => (text?.trim() ? [name] : []))

function readDotenv(folder: string): Env {
  const file = join(folder, '.env')
  if (!existsSync(file)) return {}
  const text = readText(file)
  if (text.includes('\0')) throw new ConfigError(['.env is no text in UTF-8, or in UTF-16 with a byte order mark.'])
  return parseEnv(text)
}

/** Reads text in UTF-8, or in UTF-16 with a byte order mark, as PowerShell writes it. */
function readText(file: string): string {
  const bytes = readFileSync(file)
  const encoding = { fffe: 'utf-16le', feff: 'utf-16be' }[bytes.toString('hex', 0, 2)] ?? 'utf-8'
  return new TextDecoder(encoding).decode(bytes)
}

const setTwiceMistake = (name: string) => ({
  mistake: `${name} and ${name}_FILE are both set. Remove one of them.`,
  displayText: '(set twice)',
})

function readVariableFile(name: string, path: string): RawVariable {
  const wrong = (what: string): RawVariable => ({
    mistake: `${name}_FILE points to ${path}, which ${what}.`,
    displayText: '(unreadable)',
    source: 'file',
  })
  try {
    const text = readText(path).trim()
    return text ? { text, source: 'file' } : wrong('is empty')
  } catch {
    return wrong('cannot be read')
  }
}
