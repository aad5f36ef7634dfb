import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join, posix, relative } from 'node:path'
import { builtSources, isDone, sourcesHash } from '../../scripts/prepare.mjs'
import { trackProcess } from '../support/program.ts'
import { type Instruction, ignoredBy, lastOf, readDockerfile, readPairs, type Stage } from './dockerfile.ts'
import { downloadEnv, npmCache, type Place, prepareRoot, startIn } from './namespace.ts'

export type Image = {
  place: Place
  volume: string
  port: number
  command: readonly string[]
  healthCheck: readonly string[]
}

/** Builds a Dockerfile's image without a container engine: runs its commands, each stage in a separate folder. */
export async function buildImage(context: string, folder: string): Promise<Image> {
  const stages = readDockerfile(readFileSync(join(context, 'Dockerfile'), 'utf8'))
  const built = new Map<string, Place>()
  for (const stage of stages) built.set(stage.name, await buildStage(stage, { context, folder, built }))
  const last = stages.at(-1)!
  const { PORT = '3000' } = built.get(last.name)!.env
  return {
    place: built.get(last.name)!,
    volume: lastOf(last, 'VOLUME')?.rest ?? '',
    port: Number(PORT),
    command: JSON.parse(lastOf(last, 'CMD')!.rest),
    healthCheck: JSON.parse(lastOf(last, 'HEALTHCHECK')!.rest.replace(/^CMD\s+/, '')),
  }
}

type Building = { context: string; folder: string; built: ReadonlyMap<string, Place> }

async function buildStage(stage: Stage, building: Building): Promise<Place> {
  const root = join(building.folder, stage.name)
  mkdirSync(root)
  // Temporary folders are private to their owner, but an unprivileged user will run in here.
  chmodSync(root, 0o755)
  prepareRoot(root)
  let place: Place = { root, workdir: '/', env: {} }
  if (isBuilt(stage, building.context)) {
    for (const name of ['dist', 'dist-server'])
      cpSync(join(building.context, name), join(root, 'app', name), { recursive: true })
    return place
  }
  for (const instruction of stage.instructions) {
    if (instruction.name === 'RUN') await run(place, instruction)
    if (instruction.name === 'COPY') copy(place, instruction, building)
    if (instruction.name === 'ENV') place = { ...place, env: { ...place.env, ...readPairs(instruction.rest) } }
    if (instruction.name === 'USER') place = { ...place, isOrdinary: instruction.rest === 'node' }
    if (instruction.name === 'WORKDIR') {
      place = { ...place, workdir: posix.resolve(place.workdir, instruction.rest) }
      mkdirSync(join(root, place.workdir), { recursive: true })
    }
  }
  return place
}

/** Whether the launcher has already built these sources, which takes 30 s. TOOLBOX_WHOLE_IMAGE rebuilds everything. */
function isBuilt(stage: Stage, context: string): boolean {
  if (stage.name !== 'built' || lastOf(stage, 'RUN')?.rest !== 'npm run build') return false
  const stamp = join(context, 'dist', '.stamp')
  return !process.env.TOOLBOX_WHOLE_IMAGE && isDone(stamp, sourcesHash(context, builtSources))
}

async function run(place: Place, { flags, rest }: Instruction) {
  const [, target] = /^type=cache,target=([^,]+)$/.exec(flags.mount ?? '') ?? []
  const volumes = target ? { [target]: npmCache() } : {}
  const child = startIn({ ...place, volumes, env: { ...place.env, ...downloadEnv() } }, ['sh', '-c', rest], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { printed } = trackProcess(child)
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`RUN ${rest} ended with ${code}:\n${printed()}`)
}

function copy(place: Place, { flags, rest }: Instruction, { context, built }: Building) {
  const names = rest.split(/\s+/)
  const target = posix.resolve(place.workdir, names.at(-1)!)
  const isFolder = names.at(-1)!.endsWith('/') || names.length > 2
  const from = flags.from ? built.get(flags.from)!.root : context
  const isOut = ignoredBy(readFileSync(join(context, '.dockerignore'), 'utf8'))
  for (const name of names.slice(0, -1)) {
    const to = join(place.root, isFolder ? posix.join(target, posix.basename(name)) : target)
    // Hard links suffice between stages, since nothing modifies the files.
    if (flags.from) execFileSync('cp', ['--archive', '--link', '--no-target-directory', join(from, name), to])
    else
      cpSync(join(from, name), to, {
        recursive: true,
        filter: (path) => path === from || !isOut(relative(from, path), statSync(path).isDirectory()),
      })
  }
}
