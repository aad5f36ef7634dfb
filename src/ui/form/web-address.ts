/** A host with a dot in its name, or this machine, and what may follow; an email address is none. */
const bare = /^(?:localhost|[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+)\.?(?::\d{1,5})?(?:[/?#]\S*)?$/u

/** A typed address, with the scheme that nearly every site has today if it was left out. */
export function withScheme(text: string): string {
  const typed = text.trim()
  if (bare.test(typed)) return `https://${typed}`
  return typed.startsWith('//') && bare.test(typed.slice(2)) ? `https:${typed}` : text
}
