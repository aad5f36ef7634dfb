import { variables } from '../config.ts'
import { describeConfig } from '../platform/config/config.ts'
import { ConfigError } from '../platform/config/env.ts'
import { type Command, UsageError } from './terminal.ts'

/** Prints every variable, its value with secrets masked, and where the value came from. */
export const showConfig: Command = async (args, { env, folder, say }) => {
  if (args.length > 0) throw new UsageError('config takes no arguments.')
  const { found, mistakes } = describeConfig(variables, env, folder)
  const width = Math.max(...found.map(({ name }) => name.length))
  for (const { name, text, source } of found) say(`${name.padEnd(width)}  ${text ?? '(unset)'}  [${source}]`)
  if (mistakes.length > 0) throw new ConfigError(mistakes)
}
