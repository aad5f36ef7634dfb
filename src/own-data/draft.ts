import type { AnyEntryToolServer, Imports } from '../entries/tool-server.ts'
import type { About, ImportRow } from '../platform/imports/import-file.ts'

/** A tool whose entries files may name. */
export type ImportingTool = AnyEntryToolServer & { imports: Imports }

/** What a file says of an entry; `id` if it says which one that was. */
export type Draft = { tool: ImportingTool; id?: string; body: Readonly<Record<string, unknown>> }
export type EntryRow = ImportRow<Draft>

export const takesImports = (tool: AnyEntryToolServer): tool is ImportingTool => tool.imports !== undefined

const longestWhat = 200
/** A name, as far as a list shows it. */
export const shortName = (name: unknown): string => (typeof name === 'string' ? name.slice(0, longestWhat) : '')

/** What a draft is about, in short: its name, or else what its entry would be known by; never a secret. */
export function aboutOf({ tool, body }: Draft): About {
  const { field, identity } = tool.imports
  const about = body[field]
  const named = typeof about === 'string' ? identity(about) : ''
  return { what: shortName(body.name) || shortName(named), tool: tool.contract.label }
}
