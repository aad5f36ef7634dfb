/** A host, with what may stand before it, that is longer than any name can be: to read it takes time by the square of its length. */
const endlessHost = /^(?:[\w+.\s-]*:|\s*[\\/]\s*[\\/])[\s\\/]*(?=[^\s\\/])[^\\/?#]{254}/

/** What `URL.parse` makes of a text that anybody may have written; null also for a host that no name server can know. */
export const parseUrl = (text: string, base?: string): URL | null =>
  endlessHost.test(text) ? null : URL.parse(text, base)
