import type { AnyEntryToolServer, Imports } from '../../entries/tool-server.ts'
import type { Spot } from '../../platform/imports/report.ts'

/** A tool whose entries files may name. */
export type ImportingTool = AnyEntryToolServer & { imports: Imports }

/** What a file says of an entry; `id` if it says which one that was. */
export type Draft = Spot & { tool: ImportingTool; id?: string; body: Readonly<Record<string, unknown>> }
/** What no entry can be made of, and why; `tool` is its name, if that is known. */
type Refusal = Spot & { tool: string | null; what: string; why: string }

/** What was found in a file, in its order. */
export type Finding = Draft | Refusal
export const isDraft = (finding: Finding): finding is Draft => 'body' in finding

export const takesImports = (tool: AnyEntryToolServer): tool is ImportingTool => tool.imports !== undefined

const longestWhat = 200
/** A name, as far as a list shows it. */
export const shortName = (name: unknown): string => (typeof name === 'string' ? name.slice(0, longestWhat) : '')

/** What a draft is about, in short: its name, or else what its entry would be known by; never a secret. */
export function whatOf({ tool, body }: Pick<Draft, 'tool' | 'body'>): string {
  const { field, identity } = tool.imports
  const about = body[field]
  const text = typeof body.name === 'string' && body.name ? body.name : typeof about === 'string' ? identity(about) : ''
  return text.slice(0, longestWhat)
}
