export type Hit = {
  key: string
  label: string
  detail?: string
  to: string
  search?: Record<string, string>
}

export type SearchSource = { title: string; find: (text: string, signal: AbortSignal) => Promise<readonly Hit[]> }

/** Splits a text into the parts before, equal to and after the typed text; undefined if it doesn't contain that. */
export function splitAtMatch(text: string, typed: string): readonly [string, string, string] | undefined {
  const wanted = typed.trim()
  const at = wanted === '' ? -1 : text.toLowerCase().indexOf(wanted.toLowerCase())
  if (at < 0) return undefined
  return [text.slice(0, at), text.slice(at, at + wanted.length), text.slice(at + wanted.length)]
}

/** The pages whose names contain every typed word; all pages if nothing is typed. */
export function matchingPages(pages: readonly Hit[], typed: string): readonly Hit[] {
  const words = typed.toLowerCase().split(/\s+/)
  return pages.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)))
}
