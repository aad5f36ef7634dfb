import { readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'

const compressible = /\.(?:html|js|css|svg|json|txt|webmanifest|map)$/
const ways = { '.br': promisify(brotliCompress), '.gz': promisify(gzip) }
/** A folder that may not be written to is served as it is. */
const readOnly = new Set(['EROFS', 'EACCES', 'EPERM'])

/** Lays a `.br` and a `.gz` beside every text file of a folder, once. */
export async function compressFiles(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true })
  const texts = names.filter((name) => compressible.test(name)).map((name) => join(folder, name))
  await Promise.all(texts.flatMap((file) => Object.entries(ways).map(([ending, way]) => lay(file, ending, way))))
}

async function lay(file: string, ending: string, way: (content: Buffer) => Promise<Buffer>) {
  const target = `${file}${ending}`
  if (await isNewer(target, file)) return
  try {
    await writeFile(`${target}.part`, await way(await readFile(file)))
    // A start that is cut short leaves no half of a file behind under the name that is served.
    await rename(`${target}.part`, target)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && readOnly.has(String(error.code)))) throw error
  }
}

async function isNewer(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([stat(one).catch(() => undefined), stat(other)])
  return a !== undefined && a.mtimeMs >= b.mtimeMs
}
