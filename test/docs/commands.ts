import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { root } from './markdown.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const scripts: Record<string, string> = JSON.parse(read('package.json')).scripts
const compose: { services: Record<string, { profiles?: string[] }> } = parse(read('compose.yaml'))

/** Programs that the docs may use, in addition to those whose arguments are checked. */
const others = new Set(
  'git cd cat cp mkdir chmod chown openssl useradd systemctl journalctl systemd-analyze fly heroku pg_dump pg_restore psql createdb fail2ban-regex tar rsync crontab ls df logger'.split(
    ' ',
  ),
)
const nodeScripts = ['start', 'test']

/** The subcommands in the usage text: words and options. */
const subcommands = read('src/cli/run.ts')
  .match(/Usage: npm run toolbox[\s\S]*?`/)![0]
  .split('\n')
  .flatMap((line) => {
    const [, form] = /^ {2}(\S.*?) {2,}/.exec(line) ?? []
    if (form === undefined) return []
    const parts = form.split(' ')
    const end = parts.findIndex((part) => !/^[a-z][a-z-]*$/.test(part))
    const words = end < 0 ? parts : parts.slice(0, end)
    return [{ words, options: new Set(form.match(/--[a-z-]+/g) ?? []), takesMore: /\b[A-Z]{2,}\b/.test(form) }]
  })

function wrongToolbox(args: readonly string[]): string[] {
  // Placeholder for any command.
  if (args.join() === 'COMMAND') return []
  const subcommand = subcommands
    .filter(({ words }) => words.every((word, index) => args[index] === word))
    .sort((one, other) => other.words.length - one.words.length)[0]
  if (!subcommand) return [`there is no command ${args.join(' ')}`]
  const rest = args.slice(subcommand.words.length)
  const unknown = rest.filter((arg) => arg.startsWith('--') && !subcommand.options.has(arg.replace(/=.*/, '')))
  const extra = rest.filter((arg, index) => !arg.startsWith('--') && !rest[index - 1]?.startsWith('--'))
  return [
    ...unknown.map((option) => `${subcommand.words.join(' ')} has no option ${option}`),
    ...(extra.length > 0 && !subcommand.takesMore ? [`${subcommand.words.join(' ')} takes no ${extra.join(' ')}`] : []),
  ]
}

function wrongNpm([verb = '', name = '', ...args]: readonly string[]): string[] {
  if (['ci', 'install', 'sbom'].includes(verb)) return []
  const script = verb === 'run' ? name : verb
  if (verb !== 'run' && !nodeScripts.includes(verb)) return [`npm ${verb} is not known here`]
  if (!Object.hasOwn(scripts, script)) return [`there is no script ${script}`]
  const [dashes, ...behind] = args
  if (dashes !== undefined && dashes !== '--') return [`npm keeps ${args.join(' ')} for itself`]
  return script === 'toolbox' && behind.length > 0 ? wrongToolbox(behind) : []
}

function wrongNode(args: readonly string[]): string[] {
  const [file = '', ...rest] = args.filter((arg, index) => index > 0 || !arg.startsWith('-'))
  if (!existsSync(join(root, file))) return [`there is no file ${file}`]
  return file === 'src/cli.ts' ? wrongToolbox(rest) : []
}

/** Services and profiles must exist in compose.yaml; `docker exec` runs a command inside the image. */
function wrongDocker([verb = '', ...args]: readonly string[]): string[] {
  if (verb === 'exec') return wrongCommand(args.slice(args.findIndex((arg) => !arg.startsWith('-')) + 1))
  if (verb !== 'compose') return []
  const profile = args[0] === '--profile' ? args[1] : undefined
  const [action, ...services] = (profile === undefined ? args : args.slice(2)).filter(
    (arg) => !/^-[a-z]$|^--no-/.test(arg),
  )
  const definedServices = Object.entries(compose.services)
  if (profile !== undefined && !definedServices.some(([, { profiles = [] }]) => profiles.includes(profile)))
    return [`no profile ${profile}`]
  if (action === 'exec' || action === 'run') return []
  return services
    .filter((name) => !definedServices.some(([service]) => service === name))
    .map((name) => `no service ${name}`)
}

function wrongCommand([program = '', ...args]: readonly string[]): string[] {
  switch (program) {
    case 'npm':
      return wrongNpm(args)
    case 'node':
      return wrongNode(args)
    case 'npx':
      return existsSync(join(root, 'node_modules/.bin', args[0] ?? '')) ? [] : [`no program ${args[0]}`]
    case 'docker':
      return wrongDocker(args)
    case 'sudo':
      return wrongLine(args.slice(args[0] === '-u' ? 2 : 0).join(' ')).mistakes
    case 'curl':
    case 'echo':
      return []
    default:
      return others.has(program) ? [] : [`${program} is no program that is known here`]
  }
}

/** The mistakes in a line's commands, and the variables that it sets for them. */
export function wrongLine(line: string): { mistakes: string[]; variables: string[] } {
  const variables: string[] = []
  const mistakes: string[] = []
  for (const command of line.replace(/(^|\s)#.*$/, '').split(/&&|\|\||[|;]/)) {
    const quiet = command.replace(/"[^"]*"|'[^']*'/g, (text) => text.replace(/\s/g, '_'))
    const words = quiet.trim().split(/\s+/).filter(Boolean)
    while (/^[A-Z_0-9]+=/.test(words[0] ?? '')) variables.push(words.shift()!.replace(/=.*/s, ''))
    const plain = words.filter((word, index) => !/^[<>]/.test(word) && !/^[<>]{1,2}$/.test(words[index - 1] ?? ''))
    if (plain.length > 0) mistakes.push(...wrongCommand(plain))
    const paths = plain.filter((word) => /^(?:deploy|scripts|src|test|bench|docs)\/[\w./-]*$/.test(word))
    mistakes.push(...paths.filter((path) => !existsSync(join(root, path))).map((path) => `there is no ${path}`))
  }
  return { mistakes, variables }
}

/** The lines of a block of commands, with lines joined at a trailing backslash. */
export const commandLines = (text: string): string[] =>
  text
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
