/** A URL whose host is longer than any valid name; parsing it takes quadratic time. */
const endlessHost = /^(?:[\w+.\s-]*:|\s*[\\/]\s*[\\/])[\s\\/]*(?=[^\s\\/])[^\\/?#]{254}/

/** `URL.parse` for untrusted text: also returns null for a host longer than any valid name. */
export const parseUrl = (text: string, base?: string): URL | null =>
  endlessHost.test(text) ? null : URL.parse(text, base)
