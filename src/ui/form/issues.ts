import type * as z from 'zod/mini'

/** The contract's first error for each field of a value, and for each part of a field by both names: `quiet.days`. */
export function issuesOf(schema: z.ZodMiniType, value: unknown): Record<string, string> {
  const parsed = schema.safeParse(value)
  const reasons: Record<string, string> = {}
  for (const { path, message } of parsed.error?.issues ?? []) {
    const [field = '', part] = path
    reasons[String(field)] ??= message
    if (typeof part === 'string') reasons[`${String(field)}.${part}`] ??= message
  }
  return reasons
}
