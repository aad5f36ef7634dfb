import { setImmediate } from 'node:timers/promises'
import * as z from 'zod/mini'
import type { Caller } from '../../platform/http/caller.ts'
import { fileFormat, fileVersion, schemaPath } from '../contract.ts'

/** Who asks for their data, and whether secrets stand in it in full. */
export type Reader = { caller: Caller; withSecrets: boolean }

/** A member of the file of one's own data: one value, or a list that is read page by page. */
export type Part = {
  name: string
  Shape: z.ZodMiniType
  /** Left out for API keys, which may not read it elsewhere either. */
  forSessions?: true
} & ({ value(reader: Reader): Promise<unknown> } | { pages(reader: Reader): AsyncIterable<readonly unknown[]> })

/** The shape of the whole file; API keys get it without some parts. */
export const fileShape = (parts: readonly Part[]) =>
  z.object({
    $schema: z.string(),
    format: z.literal(fileFormat),
    version: z.literal(fileVersion),
    exportedAt: z.int(),
    server: z.string(),
    /** Whether secrets are masked, or stand in it in full. */
    secrets: z.enum(['masked', 'included']),
    ...Object.fromEntries(parts.map(({ name, Shape, forSessions }) => [name, forSessions ? z.optional(Shape) : Shape])),
  })

/** The file piece by piece, as it is read: each member, and each item of a list, begins on a line of its own. */
export async function* fileOf(
  parts: readonly Part[],
  reader: Reader,
  { baseUrl, at }: { baseUrl: string; at: number },
): AsyncIterable<string> {
  const head = {
    $schema: baseUrl + schemaPath,
    format: fileFormat,
    version: fileVersion,
    exportedAt: at,
    server: baseUrl,
    secrets: reader.withSecrets ? 'included' : 'masked',
  }
  yield JSON.stringify(head, null, 1).replace(/\n}$/, '')
  const isSession = reader.caller.via.kind === 'session'
  for (const part of parts) {
    if (part.forSessions && !isSession) continue
    yield `,\n ${JSON.stringify(part.name)}: `
    if ('pages' in part) yield* list(part.pages(reader))
    else yield json(await part.value(reader))
    await setImmediate()
  }
  yield '\n}\n'
}

const json = (value: unknown) =>
  Array.isArray(value) ? `[${linesOf(value)}${value.length > 0 ? '\n ' : ''}]` : JSON.stringify(value)

const linesOf = (items: readonly unknown[]) => items.map((item) => `\n  ${JSON.stringify(item)}`).join(',')

async function* list(pages: AsyncIterable<readonly unknown[]>): AsyncIterable<string> {
  let before = '['
  for await (const page of pages) {
    if (page.length === 0) continue
    yield before + linesOf(page)
    before = ','
    // Others have their turn before the next page.
    await setImmediate()
  }
  yield before === '[' ? '[]' : '\n ]'
}
