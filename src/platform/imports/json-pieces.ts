import { atOnce, isSpace, newLine, Unreadable } from './file.ts'
import { pacer } from './pacer.ts'

/**
 * Where a value stands in a text: from its first byte to the one after its last, and the line on which it begins; `parts`
 * counts what it consists of.
 */
export type Place = { from: number; to: number; line: number; parts: number }
type Limits = { most: number; tooMany: string }

const deepest = 50
/** A member with a name of ours stands within so many bytes up to its value, which is short. */
const longestName = 1_000
const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const partners: { readonly [closing: number]: number } = { 125: 0x7b, 93: 0x5b }
const opensPiece = (byte: number) => byte === 0x7b || byte === 0x5b

export const notJson = 'This is not valid JSON.'

/**
 * The members or items of the object or list at this place, and the line on which it ends. They are parsed by nobody yet: a
 * file full of something else costs no more than its text, and each item is told by where it stands.
 */
export async function piecesIn(
  text: Buffer,
  { from, to, line }: Pick<Place, 'from' | 'to' | 'line'>,
  { most, tooMany }: Limits,
): Promise<{ pieces: Place[]; endLine: number }> {
  const pieces: Place[] = []
  const open: number[] = []
  let piece: Place | undefined
  let endLine: number | undefined
  // The line of the last letter that is no space.
  let last = line
  let isInText = false
  const pause = pacer()
  let pauseAt = from

  const add = (at: number) => {
    // Nothing at all between the brackets is no piece.
    if (piece || pieces.length > 0 || text[at] === comma) pieces.push(piece ?? { from: at, to: at, line, parts: 0 })
    if (pieces.length > most) throw new Unreadable(pieces.at(-1)?.line ?? line, tooMany)
    piece = undefined
  }

  for (let at = from; at < to; at += 1) {
    // Letters that are skipped must not skip the pause.
    if (at >= pauseAt) {
      pauseAt = at + atOnce
      await pause()
    }
    const byte = text[at]!
    if (byte === newLine) line += 1
    if (isSpace(byte)) continue
    last = line
    if (endLine !== undefined) throw new Unreadable(endLine, notJson)
    const closes = !isInText && partners[byte]
    if (closes && open.pop() !== closes) throw new Unreadable(line, notJson)
    if (open.length === 0 && at > from) {
      add(at)
      endLine = line
      continue
    }
    if (!isInText && byte === comma && open.length === 1) {
      add(at)
      continue
    }
    if (open.length > 0) {
      piece ??= { from: at, to: at, line, parts: 0 }
      piece.to = at + 1
    }
    if (byte === quote) isInText = !isInText
    else if (isInText && byte === backslash) at += 1
    else if (!isInText && byte === comma) piece!.parts += 1
    else if (!isInText && opensPiece(byte)) {
      if (piece) piece.parts += 1
      if (open.push(byte) > deepest) throw new Unreadable(line, 'This is nested too deeply.')
    }
  }
  if (endLine === undefined) throw new Unreadable(last, 'The file ends too early.')
  return { pieces, endLine }
}

/** The name of a member, and where its value stands; undefined if this is none, or has a name that is far too long. */
export function memberAt(text: Buffer, place: Place): { name: string; value: Place } | undefined {
  const begin = text.toString('latin1', place.from, Math.min(place.to, place.from + longestName))
  const [head, written] = /^("(?:[^"\\]|\\.)*")\s*:\s*/.exec(begin) ?? []
  const name = written === undefined ? undefined : valueAt(Buffer.from(written, 'latin1'))
  if (head === undefined || typeof name !== 'string') return undefined
  return { name, value: { ...place, from: place.from + head.length, line: place.line + head.split('\n').length - 1 } }
}

/** The value at this place; undefined if it is not JSON. */
export function valueAt(
  text: Buffer,
  { from, to }: { from: number; to: number } = { from: 0, to: text.length },
): unknown {
  try {
    return JSON.parse(text.toString('utf8', from, to))
  } catch {
    return undefined
  }
}
