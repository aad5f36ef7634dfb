import { setImmediate } from 'node:timers/promises'
import { Unreadable } from '../../platform/table-file/unreadable.ts'

/** Where a value stands in a text: from its first letter to the one after its last. */
export type Place = { from: number; to: number }
type Limits = { most: number; tooMany: string }

const deepest = 50
/** Others have their turn after so many letters. */
const atOnce = 500_000
const partners: Readonly<Record<string, string>> = { '}': '{', ']': '[' }

/**
 * The members or items of the object or list at this place, which are parsed by nobody yet: a file full of something else
 * costs no more than its text, and each item is told by where it stands.
 */
export async function piecesOf(
  text: string,
  { from, to }: Place,
  { most, tooMany }: Limits,
  lineAt: (place: number) => number,
): Promise<Place[]> {
  const pieces: Place[] = []
  const open: string[] = []
  let [begun, pause] = [from + 1, from + atOnce]

  const add = (end: number) => {
    const piece = trimmed(text, { from: begun, to: end })
    begun = end + 1
    if (pieces.length >= most) throw new Unreadable(lineAt(piece.from), tooMany)
    // Nothing at all between the brackets is no piece.
    if (piece.from < piece.to || pieces.length > 0 || text[end] === ',') pieces.push(piece)
  }

  for (let at = from; at < to; at += 1) {
    if (at > pause) {
      pause = at + atOnce
      await setImmediate()
    }
    const letter = text[at]!
    if (letter === '"') {
      at = endOfText(text, at)
      if (at < 0) break
    } else if (letter === '{' || letter === '[') {
      if (open.push(letter) > deepest) throw new Unreadable(lineAt(at), 'This is nested too deeply.')
    } else if (letter === '}' || letter === ']') {
      if (open.pop() !== partners[letter]) throw new Unreadable(lineAt(at), notJson)
      if (open.length > 0) continue
      add(at)
      if (trimmed(text, { from: at + 1, to }).from < to) throw new Unreadable(lineAt(at + 1), notJson)
      return pieces
    } else if (letter === ',' && open.length === 1) add(at)
  }
  throw new Unreadable(lineAt(to), 'The file ends too early.')
}

export const notJson = 'This is not valid JSON.'

/** Where the text in quotes that begins here ends; -1 if it doesn't. */
function endOfText(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (at - 1 - slashes > from && text[at - 1 - slashes] === '\\') slashes += 1
    if (slashes % 2 === 0) return at
  }
  return -1
}

/** The place without the space around it. */
export function trimmed(text: string, { from, to }: Place): Place {
  while (from < to && isSpace(text[from])) from += 1
  while (to > from && isSpace(text[to - 1])) to -= 1
  return { from, to }
}

const isSpace = (letter: string | undefined) => letter === ' ' || letter === '\n' || letter === '\r' || letter === '\t'

/** The name of a member, and where its value stands; undefined if this is none. */
export function memberAt(text: string, { from, to }: Place): { name: string; value: Place } | undefined {
  const end = text[from] === '"' ? endOfText(text, from) : -1
  const colon = trimmed(text, { from: end + 1, to })
  const name = valueAt(text, { from, to: end + 1 })
  if (end < 0 || text[colon.from] !== ':' || typeof name !== 'string') return undefined
  return { name, value: trimmed(text, { from: colon.from + 1, to }) }
}

/** The value at this place; undefined if it is not JSON. */
export function valueAt(text: string, { from, to }: Place): unknown {
  try {
    return JSON.parse(text.slice(from, to))
  } catch {
    return undefined
  }
}
