import * as z from 'zod/mini'

/** How a route describes an answer that is no JSON, in its `response`. */
export function contentOf(type: string, description: string, example?: string) {
  const meta = { type: 'string', ...(example !== undefined && { examples: [example] }) }
  // Whatever is sent, bytes or a stream, is text to a reader of the description.
  const schema = z.unknown().register(z.globalRegistry, meta)
  return { description, content: { [type]: { schema } } }
}
