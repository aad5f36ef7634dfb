import * as z from 'zod/mini'

/** Describes a response that is not JSON, for a route's `response`. */
export function contentOf(type: string, description: string, example?: string) {
  const meta = { type: 'string', ...(example !== undefined && { examples: [example] }) }
  // The description presents bytes and streams as text.
  const schema = z.unknown().register(z.globalRegistry, meta)
  return { description, content: { [type]: { schema } } }
}
