/** A host name with a dot, or localhost, with optional port, path, query and fragment; never an email address. */
const bare = /^(?:localhost|[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+)\.?(?::\d{1,5})?(?:[/?#]\S*)?$/u

/** A typed address; if the scheme is missing, adds https, which nearly every site supports. */
export function withScheme(text: string): string {
  const typed = text.trim()
  if (bare.test(typed)) return `https://${typed}`
  return typed.startsWith('//') && bare.test(typed.slice(2)) ? `https:${typed}` : text
}
