import type * as z from 'zod/mini'

/** Why a contract refuses a value, by the name of the field; the first reason of each. */
export function issuesOf(schema: z.ZodMiniType, value: unknown): Record<string, string> {
  const parsed = schema.safeParse(value)
  const reasons: Record<string, string> = {}
  for (const { path, message } of parsed.error?.issues ?? []) reasons[String(path[0] ?? '')] ??= message
  return reasons
}
