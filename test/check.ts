import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { brokenRoomRules, brokenRules, missingPackages, sourceFiles } from './import-rules.ts'
import { spacingMistakes, styleMistakes } from './spacing.ts'
import { lockMistakes } from './support/database/lock-file.ts'
import { trackProcess } from './support/program.ts'

/** Runs all static checks in parallel, from format to style sheets, and prints the output of those that fail. */
const root = dirname(import.meta.dirname)
type Outcome = { ok: boolean; output: string }

async function program(file: string, ...args: string[]): Promise<Outcome> {
  const child = spawn(process.execPath, [`node_modules/${file}`, ...args], { cwd: root })
  const { printed } = trackProcess(child)
  const [code] = await once(child, 'close')
  return { ok: code === 0, output: printed() }
}

const rules = async (broken: readonly string[]): Promise<Outcome> => ({
  ok: broken.length === 0,
  output: broken.join('\n'),
})

const sources = sourceFiles(root)

const checks: Record<string, Promise<Outcome>> = {
  'format and lint': program('@biomejs/biome/bin/biome', 'check', '--error-on-warnings'),
  'types of the server': program('typescript/bin/tsc', '-p', 'tsconfig.json'),
  'types of the pages': program('typescript/bin/tsc', '-p', 'tsconfig.web.json'),
  'import rules': rules([...brokenRules(sources), ...brokenRoomRules(sources)]),
  'packages of the server': rules(missingPackages(root)),
  'lock file': rules(lockMistakes(root)),
  spacing: rules(spacingMistakes(root)),
  'style sheets': rules(styleMistakes(root)),
}

let failed = 0
for (const [name, outcome] of Object.entries(checks)) {
  const { ok, output } = await outcome
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name}`)
  if (ok) continue
  failed += 1
  console.log(output.trimEnd())
}
process.exit(failed > 0 ? 1 : 0)
