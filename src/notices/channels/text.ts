import type { Message } from './message.ts'

/** The whole message as plain text. */
export const textOf = ({ title, lines, link }: Message): string => [title, ...lines, ...(link ? [link] : [])].join('\n')

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
