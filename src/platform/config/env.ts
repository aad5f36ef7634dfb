import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { givenByHosting } from './hosting.ts'

export type Env = Readonly<Record<string, string | undefined>>
export type Source = 'default' | 'hosting' | 'environment' | '.env' | 'file'
/** A variable's text, or a whole sentence that says what is wrong with it and what is shown instead. */
type Given = { source: Source } & ({ text: string } | { mistake: string; shown: string })

/** The configuration is invalid; `mistakes` are all of them, a sentence each. */
export class ConfigError extends Error {
  readonly mistakes: readonly string[]
  constructor(mistakes: readonly string[]) {
    super(`Invalid configuration:\n${mistakes.map((mistake) => `  - ${mistake}`).join('\n')}`)
    this.name = 'ConfigError'
    this.mistakes = mistakes
  }
}

/** The program can't start; the message tells the operator what to do. */
export class StartError extends Error {}

/** Looks variables up by name in the environment, in `.env` of this folder, then in what the hosting service says; NAME_FILE names a file that holds the value. */
export function variableReader(env: Env, folder: string): (name: string) => Given | undefined {
  const dotenv = join(folder, '.env')
  const layers: [Source, Env][] = [['environment', env]]
  if (existsSync(dotenv)) layers.push(['.env', parseEnv(readFileSync(dotenv, 'utf8'))])
  layers.push(['hosting', givenByHosting(env)])

  return (name) => {
    for (const [source, values] of layers) {
      const [text, file] = [values[name]?.trim(), values[`${name}_FILE`]?.trim()]
      if (text && file) return { ...twice(name), source }
      if (text) return { text, source }
      if (file) return fromFile(name, resolve(folder, file))
    }
    return undefined
  }
}

const twice = (name: string) => ({
  mistake: `${name} and ${name}_FILE are both set. Remove one of them.`,
  shown: '(set twice)',
})

function fromFile(name: string, path: string): Given {
  const wrong = (what: string): Given => ({
    mistake: `${name}_FILE points to ${path}, which ${what}.`,
    shown: '(unreadable)',
    source: 'file',
  })
  try {
    const text = readFileSync(path, 'utf8').trim()
    return text ? { text, source: 'file' } : wrong('is empty')
  } catch {
    return wrong('cannot be read')
  }
}
