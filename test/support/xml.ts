/** Matches an opening, closing or empty tag, plus the text up to the next tag. */
const part = /^<(?:\/([a-zA-Z][\w-]*)|([a-zA-Z][\w-]*)((?: [\w:-]+="[^"<]*")*)(\/?))>([^<]*)/

type Element = { name: string; attributes: Record<string, string>; text: string }

/** Reads a document's elements in order. Throws if it isn't well-formed, or has comments, CDATA or mixed content. */
export function readXml(xml: string): Element[] {
  const elements: Element[] = []
  const open: Element[] = []
  let rest = xml
  while (rest !== '') {
    const [whole, closing, name = '', attributes = '', empty, text = ''] = part.exec(rest) ?? fail(rest)
    if (/&(?!(?:amp|lt|gt|quot|apos);)/.test(whole)) fail(rest)
    rest = rest.slice(whole.length)
    if (closing !== undefined && open.pop()?.name !== closing) fail(whole)
    if (closing === undefined) {
      const element = { name, attributes: attributesOf(attributes), text: empty ? '' : text }
      if (open.length === 0 && elements.length > 0) fail(whole)
      elements.push(element)
      if (!empty) open.push(element)
    }
    if ((closing !== undefined || empty) && text !== '') fail(whole)
  }
  if (open.length > 0) fail(xml)
  return elements
}

function attributesOf(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/ ([\w:-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value])
  const attributes = Object.fromEntries(pairs)
  if (Object.keys(attributes).length !== pairs.length) fail(text)
  return attributes
}

function fail(text: string): never {
  throw new Error(`Not well-formed: ${text.slice(0, 100)}`)
}
