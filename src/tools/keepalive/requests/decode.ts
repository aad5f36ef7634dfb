import { TextDecoder } from 'node:util'

/** How far into a page its own encoding is looked for, as browsers do. */
const declaredWithin = 1_024

/** A body as text: by its byte order mark, else by the header, else by what the page says of itself, else as UTF-8. */
export function decode(body: Uint8Array, contentType = ''): string {
  const marked = markOf(body)
  const named = charsetOf(contentType) ?? declared(body)
  return (decoderOf(marked) ?? decoderOf(named) ?? new TextDecoder()).decode(body)
}

function markOf([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined
}

const charsetOf = (text: string) => /charset\s*=\s*["']?\s*([\w:-]+)/i.exec(text)?.[1]

/** `<meta charset>`, its older form, or the first line of XML. */
function declared(body: Uint8Array): string | undefined {
  const start = Buffer.from(body.subarray(0, declaredWithin)).toString('latin1')
  return (
    charsetOf(/<meta[^>]*>/i.exec(start)?.[0] ?? '') ?? /^\s*<\?xml[^>]*encoding\s*=\s*["']([\w:-]+)/i.exec(start)?.[1]
  )
}

/** Undefined for an encoding that nobody knows. */
function decoderOf(name: string | undefined): TextDecoder | undefined {
  if (name === undefined) return undefined
  try {
    return new TextDecoder(name)
  } catch {
    return undefined
  }
}
