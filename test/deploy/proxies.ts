import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { seconds } from '../../src/shared/time.ts'
import { goodCertificate, leafKey } from '../support/fakes/certificates.ts'
import { whenListening } from '../support/program.ts'

const root = join(import.meta.dirname, '..', '..')
const home = join(root, '.proxies')

/** Finds a program on this machine, or else downloads its Debian package; undefined if neither works. */
export function programOf(name: string): string | undefined {
  const onPath = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'].map((folder) => join(folder, name))
  const unpacked = ['usr/sbin', 'usr/bin'].map((folder) => join(home, name, folder, name))
  const find = () => [...onPath, ...unpacked].find(existsSync)
  return find() ?? (unpackPackage(name) ? find() : undefined)
}

/** Unpacks the package into a folder of the repository, without changing the machine or starting a service. */
function unpackPackage(name: string): boolean {
  const folder = join(home, name)
  mkdirSync(folder, { recursive: true })
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: folder, stdio: 'ignore', timeout: seconds(60) })
  const attempts = [() => {}, () => run('apt-get', 'update')]
  for (const first of attempts) {
    try {
      first()
      run('apt-get', 'download', name)
      for (const file of readdirSync(folder)) if (file.endsWith('.deb')) run('dpkg', '-x', file, '.')
      return true
    } catch {
      // The package lists are missing or outdated, or this is not Debian.
    }
  }
  return false
}

type Running = { url: string; stop: () => Promise<void> }
type Ports = { listen: number; plain: number; toolbox: number }

/** Starts nginx with our sample, adapted to the test's ports and certificate. */
export async function startNginx(program: string, folder: string, { listen, plain, toolbox }: Ports): Promise<Running> {
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem'), sample: join(folder, 'toolbox.conf') }
  writeFileSync(files.cert, goodCertificate)
  writeFileSync(files.key, leafKey)
  const sample = sampleWith('deploy/nginx.conf', [
    ['server 127.0.0.1:3000;', `server 127.0.0.1:${toolbox};`],
    ['  listen 443 ssl http2;', `  listen 127.0.0.1:${listen} ssl http2;`],
    ['  listen [::]:443 ssl http2;\n', ''],
    ['  listen 80;', `  listen 127.0.0.1:${plain};`],
    ['  listen [::]:80;\n', ''],
    ['/etc/letsencrypt/live/tools.example.com/fullchain.pem', `"${files.cert}"`],
    ['/etc/letsencrypt/live/tools.example.com/privkey.pem', `"${files.key}"`],
  ])
  writeFileSync(files.sample, sample)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path "${folder}/${name}";`,
  )
  const config = `daemon off; master_process off; pid "${folder}/pid"; error_log stderr;
    events {} http { access_log off; ${temporary.join(' ')} include "${files.sample}"; }`
  writeFileSync(join(folder, 'nginx.conf'), config)
  const child = spawn(program, ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')], { stdio: 'pipe' })
  return { url: `https://127.0.0.1:${listen}`, ...(await whenListening(child, listen)) }
}

/** Starts Caddy with our sample at an http address, which needs no certificate. */
export async function startCaddy(program: string, folder: string, { listen, toolbox }: Ports): Promise<Running> {
  const sample = readFileSync(join(root, 'deploy/Caddyfile'), 'utf8')
  writeFileSync(join(folder, 'Caddyfile'), `{\n\tadmin off\n}\n${sample}`)
  const url = `http://127.0.0.1:${listen}`
  const child = spawn(program, ['run', '--config', 'Caddyfile', '--adapter', 'caddyfile'], {
    cwd: folder,
    stdio: 'pipe',
    env: { HOME: folder, SITE: url, TOOLBOX: `127.0.0.1:${toolbox}` },
  })
  return { url, ...(await whenListening(child, listen)) }
}

/** Reads a sample and replaces texts in it. Throws if one is missing. */
function sampleWith(path: string, names: readonly (readonly [string, string])[]): string {
  let text = readFileSync(join(root, path), 'utf8')
  for (const [from, to] of names) {
    if (!text.includes(from)) throw new Error(`${path} lacks ${from}`)
    text = text.replaceAll(from, to)
  }
  return text
}
