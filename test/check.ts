import { spawn } from 'node:child_process'
import { dirname } from 'node:path'
import { brokenRoomRules, brokenRules, missingPackages, sourceFiles } from './import-rules.ts'
import { spacingMistakes, styleMistakes } from './spacing.ts'
import { lockMistakes } from './support/database/lock-file.ts'

/** Runs all static checks in parallel, from format to style sheets, and prints the output of those that fail. */
const root = dirname(import.meta.dirname)
type Outcome = { ok: boolean; output: string }

function program(...args: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn(
      process.execPath,
      args.map((arg) => arg.replace(/^~/, 'node_modules/')),
      { cwd: root },
    )
    let output = ''
    const onOutput = (chunk: Buffer) => {
      output += chunk
    }
    child.stdout.on('data', onOutput)
    child.stderr.on('data', onOutput)
    child.on('close', (code) => resolve({ ok: code === 0, output }))
  })
}

const rules = async (broken: readonly string[]): Promise<Outcome> => ({
  ok: broken.length === 0,
  output: broken.join('\n'),
})

const sources = sourceFiles(root)

const checks: Record<string, Promise<Outcome>> = {
  'format and lint': program('~@biomejs/biome/bin/biome', 'check', '--error-on-warnings'),
  'types of the server': program('~typescript/bin/tsc', '-p', 'tsconfig.json'),
  'types of the pages': program('~typescript/bin/tsc', '-p', 'tsconfig.web.json'),
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
