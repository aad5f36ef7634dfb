import { readFileSync } from 'node:fs'
import { join } from 'node:path'

type Locked = { version?: string; dependencies?: Names; optionalDependencies?: Names; peerDependencies?: Names }
type Names = Record<string, string>

/** Reports what would break `npm ci`: inexact or drifted versions, and platform packages missing from the lock file. */
export function lockMistakes(root: string): string[] {
  const read = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'))
  return findLockMistakes(read('package.json'), read('package-lock.json'))
}

export function findLockMistakes(
  { dependencies = {}, devDependencies = {} }: { dependencies?: Names; devDependencies?: Names },
  { packages }: { packages: Record<string, Locked> },
): string[] {
  const declared = Object.entries({ ...dependencies, ...devDependencies })
  // Aliased packages have versions such as `npm:typescript@5.9.3`.
  const versions = Object.fromEntries(declared.map(([name, version]) => [name, version.replace(/^npm:.+@/, '')]))
  const inexact = Object.entries(versions).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
  const drifted = Object.entries(versions).filter(
    ([name, version]) => packages[`node_modules/${name}`]?.version !== version,
  )
  const missing = Object.entries(packages).flatMap(([path, locked]) =>
    Object.keys(locked.optionalDependencies ?? {})
      .filter((name) => !isLocked(packages, path, name))
      .map((name) => `${path}: its optional ${name} is not in the lock file`),
  )
  return [
    ...inexact.map(([name, version]) => `${name}: ${version} is no exact version`),
    ...drifted.map(([name, version]) => `${name}: the lock file does not hold ${version}`),
    ...missing,
  ]
}

/** Looks inside the package, then in the folders above it, as Node does. */
function isLocked(packages: Record<string, Locked>, path: string, name: string): boolean {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    if (`${at ? `${at}/` : ''}node_modules/${name}` in packages) return true
    if (at === '') return false
  }
}
