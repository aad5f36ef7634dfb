import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'

/** Where a command runs: a folder that serves as its root file system, with the machine's programs, Node and npm. */
export type Place = {
  root: string
  workdir: string
  env: Readonly<Record<string, string>>
  /** Runs as an unprivileged user without capabilities; builds run as root. */
  isOrdinary?: boolean
  isReadOnly?: boolean
  /** The machine's folders by their mount points. */
  volumes?: Readonly<Record<string, string>>
}

const user = '1000'

/** Why commands can't run in an isolated place here; undefined if they can. */
export function whyNoPlaces(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'that takes root on Linux'
  const tried = spawnSync('unshare', ['--mount', 'setpriv', '--reuid=1000', '--regid=1000', '--clear-groups', 'true'])
  return tried.status === 0 ? undefined : 'unshare and setpriv are not allowed to'
}

/** Turns a folder into a minimal Linux root, onto which the machine's programs can be mounted. */
export function prepareRoot(root: string): void {
  for (const name of [
    'usr',
    'etc/ssl',
    'proc',
    'dev',
    'tmp',
    'root',
    'toolchain/node',
    'toolchain/npm',
    'toolchain/bin',
  ])
    mkdirSync(join(root, name), { recursive: true, mode: 0o755 })
  for (const name of ['bin', 'sbin', 'lib', 'lib64'])
    if (existsSync(`/${name}`) && lstatSync(`/${name}`).isSymbolicLink())
      symlinkSync(readlinkSync(`/${name}`), join(root, name))
  for (const name of ['resolv.conf', 'hosts', 'nsswitch.conf'])
    if (existsSync(`/etc/${name}`)) cpSync(realpathSync(`/etc/${name}`), join(root, 'etc', name))
  const { npmrc, authorities } = forDownloads()
  if (existsSync(npmrc)) cpSync(npmrc, join(root, 'root/.npmrc'))
  if (authorities) cpSync(authorities, join(root, 'etc/authorities.pem'))
  writeFileSync(join(root, 'etc/passwd'), `root:x:0:0::/root:/bin/sh\nnode:x:${user}:${user}::/home/node:/bin/sh\n`)
  writeFileSync(join(root, 'etc/group'), `root:x:0:\nnode:x:${user}:\n`)
  const shim = '#!/bin/sh\nexec node /toolchain/npm/bin/npm-cli.js "$@"\n'
  writeFileSync(join(root, 'toolchain/bin/npm'), shim, { mode: 0o755 })
}

/** Mounts the machine's programs and the volumes, then replaces itself with the command. */
const script = `set -e
root=$1 readonly=$2 node=$3 npm=$4; shift 4
show() { mount --bind "$1" "$root$2"; mount -o remount,bind,ro "$root$2"; }
mount --bind "$root" "$root"
show /usr /usr; show /etc/ssl /etc/ssl; show "$node" /toolchain/node; show "$npm" /toolchain/npm
mount --rbind /dev "$root/dev"
mount -t proc -o hidepid=invisible,subset=pid proc "$root/proc"
if [ "$readonly" = yes ]; then mount -o remount,bind,ro "$root"; fi
while [ "$1" != -- ]; do mount --bind "$1" "$root$2"; shift 2; done; shift
exec chroot "$root" "$@"`

/** Starts a command in a place; the child process is the command itself. */
export function startIn(place: Place, command: readonly string[], options: SpawnOptions = {}): ChildProcess {
  const { root, workdir, env, isOrdinary = false, isReadOnly = false, volumes = {} } = place
  for (const at of Object.keys(volumes)) mkdirSync(join(root, at), { recursive: true })
  const rights = isOrdinary
    ? ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--no-new-privs', '--bounding-set=-all']
    : []
  const path = '/toolchain/node:/toolchain/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin'
  const variables = Object.entries({ PATH: path, HOME: isOrdinary ? '/home/node' : '/root', ...env })
  const mounts = Object.entries(volumes).flatMap(([at, folder]) => [folder, at])
  return spawn(
    'unshare',
    [
      ...['--mount', '--propagation', 'private', 'sh', '-c', script, 'sh'],
      ...[root, isReadOnly ? 'yes' : 'no', dirname(process.execPath), npmFolder(), ...mounts, '--'],
      ...rights,
      ...['env', '-i', `--chdir=${workdir}`, ...variables.map(([name, value]) => `${name}=${value}`)],
      ...command,
    ],
    options,
  )
}

function npmFolder(): string {
  const execPath = process.env.npm_execpath
  if (execPath?.endsWith('npm-cli.js')) return dirname(dirname(execPath))
  const found = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'npm'))
    .find(existsSync)
  if (!found) throw new Error('There is no npm on this machine.')
  return dirname(dirname(realpathSync(found)))
}

/** The files that downloads on this machine depend on. */
const forDownloads = () => ({
  npmrc: process.env.npm_config_userconfig ?? join(homedir(), '.npmrc'),
  authorities: process.env.NODE_EXTRA_CA_CERTS,
})

export const npmCache = () => process.env.npm_config_cache ?? join(homedir(), '.npm')

/** The variables with which a build reaches the registry; container engines also pass on those for proxies. */
export function downloadEnv(): Record<string, string> {
  const names = Object.keys(process.env).filter((name) => /^(?:https?|no)_proxy$|^npm_config_registry$/i.test(name))
  const env = Object.fromEntries(names.map((name) => [name, process.env[name] ?? '']))
  return forDownloads().authorities ? { ...env, NODE_EXTRA_CA_CERTS: '/etc/authorities.pem' } : env
}
