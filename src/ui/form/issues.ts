import type * as z from 'zod/mini'

/** The first error of each field that a contract finds in a value. */
export function issuesOf(schema: z.ZodMiniType, value: unknown): Record<string, string> {
  const parsed = schema.safeParse(value)
  const reasons: Record<string, string> = {}
  for (const { path, message } of parsed.error?.issues ?? []) reasons[String(path[0] ?? '')] ??= message
  return reasons
}
