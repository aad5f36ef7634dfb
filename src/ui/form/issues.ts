import type * as z from 'zod/mini'

/** The first error of each field that a contract finds in a value, and of each part of it by both names: `quiet.days`. */
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
