import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..', '..')
export const sample = (path: string) => readFileSync(join(root, path), 'utf8')

/** Parses a systemd unit file: values by section and name, which may occur several times. */
export function readUnit(text: string): Record<string, Record<string, string[]>> {
  const sections: Record<string, Record<string, string[]>> = {}
  let section: Record<string, string[]> = {}
  for (const line of text.split('\n').filter((one) => one.trim() && !one.startsWith('#'))) {
    const [, title] = /^\[(.+)\]$/.exec(line) ?? []
    const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? []
    if (title) section = sections[title] ??= {}
    else if (name) section[name] = [...(section[name] ?? []), value]
    else throw new Error(`Not understood: ${line}`)
  }
  return sections
}

/** Parses the subset of TOML that our sample needs: tables, lists of tables, and values on one line. */
export function readToml(text: string): Record<string, unknown> {
  const whole: Record<string, unknown> = {}
  let table: Record<string, unknown> = whole
  for (const line of text.split('\n').filter((one) => one.trim() && !one.startsWith('#'))) {
    const [, list, single] = /^(?:\[\[([\w.]+)\]\]|\[([\w.]+)\])$/.exec(line) ?? []
    const [, name = '', value = ''] = /^(\w+) = (.+)$/.exec(line) ?? []
    if (list ?? single) whole[list ?? single ?? ''] = table = {}
    else if (name) table[name] = JSON.parse(value)
    else throw new Error(`Not understood: ${line}`)
  }
  return whole
}

/** Fills in `${NAME}` and `${NAME:-default}` in every text, as docker compose does. */
export const interpolate = (whole: unknown, env: Readonly<Record<string, string>> = {}): unknown =>
  JSON.parse(JSON.stringify(whole), (_, value: unknown) =>
    typeof value === 'string'
      ? value.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_all, name: string, otherwise = '') => env[name] || otherwise)
      : value,
  )

/** The code blocks of a page in these languages. */
export const blocksOf = (markdown: string, ...languages: string[]): string[] =>
  [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    .filter(([, language = '']) => languages.includes(language))
    .map(([, , code = '']) => code)
