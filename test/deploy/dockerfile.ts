/** A line of a Dockerfile: its name, its `--flag=value` options and the rest. */
export type Instruction = { name: string; flags: Readonly<Record<string, string>>; rest: string }
/** A build stage: its base image, and the name by which later stages copy from it. */
export type Stage = { name: string; from: string; instructions: readonly Instruction[] }

const supported = /^(?:ARG|CMD|COPY|ENV|EXPOSE|FROM|HEALTHCHECK|RUN|STOPSIGNAL|USER|VOLUME|WORKDIR)$/

/** Parses the stages of a Dockerfile. Throws on unknown syntax, so that nothing is silently skipped. */
export function readDockerfile(text: string): Stage[] {
  const lines = text
    .replace(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const stages: (Stage & { instructions: Instruction[] })[] = []
  for (const line of lines) {
    const instruction = readLine(line)
    if (instruction.name === 'FROM') {
      const [from = '', as, name = String(stages.length)] = instruction.rest.split(/\s+/)
      if (as && as.toUpperCase() !== 'AS') throw new Error(`Not understood: ${line}`)
      stages.push({ name, from, instructions: [] })
    } else stages.at(-1)!.instructions.push(instruction)
  }
  return stages
}

function readLine(line: string): Instruction {
  const [, name = '', flagText = '', rest = ''] = /^([A-Z]+)((?:\s+--[\w-]+=\S+)*)\s+(.+)$/.exec(line) ?? []
  if (!supported.test(name)) throw new Error(`Not understood: ${line}`)
  const flags = [...flagText.matchAll(/--([\w-]+)=(\S+)/g)].map(([, flag = '', value = '']) => [flag, value])
  return { name, flags: Object.fromEntries(flags), rest: rest.trim() }
}

export const lastOf = ({ instructions }: Stage, name: string): Instruction | undefined =>
  instructions.findLast((one) => one.name === name)

/** Parses `KEY=value KEY="a value"`. */
export const readPairs = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/(\w+)=(?:"([^"]*)"|(\S+))/g)].map(([, key, quoted, bare]) => [key, quoted ?? bare ?? '']),
  )

/** Returns a function that checks whether a path is ignored, by the last matching line of `.dockerignore`. */
export function ignoredBy(text: string): (path: string, isFolder?: boolean) => boolean {
  const rules = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line && !line.startsWith('#'))
    .map((line) => ({ isIn: line.startsWith('!'), pattern: line.replace(/^!/, '') }))
    .map((rule) => ({ ...rule, form: formOf(rule.pattern) }))
  /** Whether a folder may contain a file that an exception names. */
  const mayHoldException = (folder: string) =>
    rules.some(({ isIn, pattern }) => isIn && pattern.includes('*') && `${folder}/`.startsWith(pattern.split('*')[0]!))
  return (path, isFolder = false) =>
    rules.findLast(({ form }) => form.test(path))?.isIn === false && !(isFolder && mayHoldException(path))
}

/** A pattern matches a path and everything below it. */
function formOf(pattern: string): RegExp {
  const source = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('**/', '\0')
    .replaceAll('*', '[^/]*')
    .replaceAll('\0', '(?:.*/)?')
  return new RegExp(`^${source}(?:/.*)?$`)
}
