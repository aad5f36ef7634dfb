type Words = { title: string; lines: readonly string[]; link: string | undefined }

/** The whole message as plain text. */
export const textOf = ({ title, lines, link }: Words): string => [title, ...lines, ...(link ? [link] : [])].join('\n')

const nothing = '\u200b'
/** What apps make links, mentions, tags and commands of: `https://`, `a.example`, `ada@`, `@all`, `#tag`, `/start`. */
const linkSigns = /:(?=[^\s\d])|[.。．｡](?=[\p{L}\p{N}])|@(?=\S)|(?<![\p{L}\p{N}/])[#/$](?=[\p{L}\p{N}])/gu

/** The same to readers, but no app makes a link of any part of it. */
export const unlinked = (text: string): string => text.replace(linkSigns, `$&${nothing}`)
/** As it was before `unlinked`. */
export const relinked = (text: string): string => text.replaceAll(nothing, '')

/** At most so many characters, whole ones. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  return `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** At most so many bytes of UTF-8, whole characters. */
export function cutBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text
  const bytes = Buffer.from(text).subarray(0, most - 3)
  return `${bytes.toString().replace(/\uFFFD+$/, '')}…`
}
