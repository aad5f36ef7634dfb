/** Something that was found, and where it leads. */
export type Hit = {
  key: string
  label: string
  /** In smaller letters beside it. */
  detail?: string
  to: string
  search?: Record<string, string>
}

/** Where is searched: `title` stands above what was found. */
export type SearchSource = { title: string; find: (text: string, signal: AbortSignal) => Promise<readonly Hit[]> }

/** A text in three parts, of which the second is what was typed; undefined if it isn't in it. */
export function split(text: string, typed: string): readonly [string, string, string] | undefined {
  const wanted = typed.trim()
  const at = wanted === '' ? -1 : text.toLowerCase().indexOf(wanted.toLowerCase())
  if (at < 0) return undefined
  return [text.slice(0, at), text.slice(at, at + wanted.length), text.slice(at + wanted.length)]
}

/** The pages whose names have every typed word; all of them if nothing is typed. */
export function pagesLike(pages: readonly Hit[], typed: string): readonly Hit[] {
  const words = typed.toLowerCase().split(/\s+/)
  return pages.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)))
}
