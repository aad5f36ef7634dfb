import { isUtf8 } from 'node:buffer'
import { formatCount } from '../../shared/count.ts'
import { pacer } from './pacer.ts'

/** The file as a whole can't be imported; `line` is where the problem shows. */
export class UnreadableFile extends Error {
  readonly line: number
  constructor(line: number, why: string) {
    super(why)
    this.line = line
  }
}

/** Bytes that one step reads, or decodes and parses. */
export const atOnce = 4_096
/** Bytes that one step checks for valid UTF-8. */
const blockLength = 262_144
/** Includes lines within cells; no table needs more. */
const mostLines = 100_000
export const newLine = 0x0a
const carriageReturn = 0x0d

/** Converts a file in place to text with \n line ends. Throws UnreadableFile if it is empty or not UTF-8. */
export async function normalizeText(file: Buffer): Promise<Buffer> {
  const bytes = await normalizeLineEnds(file)
  if (!isUtf8(bytes))
    throw new UnreadableFile(
      await findInvalidLine(bytes),
      'This is not text in UTF-8. Save the file as UTF-8 and try again.',
    )
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  const text = isMarked ? bytes.subarray(3) : bytes
  if ((await beginOf(text)).from === text.length) throw new UnreadableFile(1, 'This file is empty.')
  return text
}

/** The offset and line of the first byte that is not whitespace. */
export async function beginOf(text: Buffer): Promise<{ from: number; line: number }> {
  const pause = pacer()
  let [from, line] = [0, 1]
  for (; isSpace(text[from]); from += 1) {
    if (from % atOnce === 0) await pause()
    if (text[from] === newLine) line += 1
  }
  return { from, line }
}

export const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === newLine || byte === carriageReturn || byte === 0x09

async function normalizeLineEnds(bytes: Buffer): Promise<Buffer> {
  const first = bytes.indexOf(carriageReturn)
  if (first < 0) return bytes
  const pause = pacer()
  let end = first
  for (let at = first; at < bytes.length; at += 1) {
    if (at % atOnce === 0) await pause()
    const byte = bytes[at]!
    if (byte !== carriageReturn) bytes[end++] = byte
    else if (bytes[at + 1] !== newLine) bytes[end++] = newLine
  }
  return bytes.subarray(0, end)
}

/** The first line that can't be decoded: searches blocks of lines, and then each line of the block. */
async function findInvalidLine(bytes: Buffer, start = { from: 0, line: 1 }, atLeast = blockLength): Promise<number> {
  const pause = pacer()
  let { from, line } = start
  for (;;) {
    const end = bytes.indexOf(newLine, from + atLeast)
    const block = bytes.subarray(from, end < 0 ? undefined : end)
    if (!isUtf8(block)) return atLeast === 0 ? line : findInvalidLine(bytes, { from, line }, 0)
    if (end < 0) return line
    // After these bytes, the next line end is the one at `end`.
    for (const byte of block.subarray(0, atLeast)) if (byte === newLine) line += 1
    line += 1
    from = end + 1
    await pause()
  }
}

/** Yields the text piece by piece. Throws UnreadableFile if it has far too many lines. */
export async function* piecesOf(text: Buffer): AsyncGenerator<string> {
  const pause = pacer()
  const decoder = new TextDecoder()
  let lines = 0
  for (let from = 0; from < text.length; from += atOnce) {
    await pause()
    const piece = text.subarray(from, from + atOnce)
    for (const byte of piece) if (byte === newLine) lines += 1
    if (lines > mostLines)
      throw new UnreadableFile(mostLines + 1, `A file can hold at most ${formatCount(mostLines)} lines.`)
    yield decoder.decode(piece, { stream: true })
  }
}

/** The first line, cut off if it is far too long. */
export const firstLine = (text: Buffer): string => text.toString('utf8', 0, 65_536).split('\n', 1)[0] ?? ''
