import * as z from 'zod/mini'
import { isZone } from '../zone.ts'

export type ListQuery = {
  page: number
  size: number
  sort: string | undefined
  order: 'asc' | 'desc' | undefined
  filters: readonly (readonly [key: string, text: string])[]
  zone: string
}
export const defaultPageSize = 200

const counted = (form: RegExp, error: string) =>
  z.optional(z.pipe(z.string().check(z.regex(form, { error })), z.transform(Number)))
const Text = z
  .string()
  .check(
    z.trim(),
    z.maxLength(2_048, { error: 'Use at most 2048 characters.' }),
    z.regex(/^\P{Cc}*$/u, { error: "The filter can't contain control characters." }),
  )

const paging = {
  page: counted(/^[1-9]\d{0,6}$/, 'Use a page from 1.'),
  size: counted(/^(?:[1-9]\d|1\d\d|200)$/, 'Use a size from 10 to 200.'),
  order: z.optional(z.enum(['asc', 'desc'], { error: 'Use asc or desc.' })),
  zone: z.optional(z.string().check(z.refine(isZone, { error: 'Enter a time zone, such as Europe/Berlin.' }))),
}

export const PageQuery = z.strictObject({ page: paging.page, size: paging.size })

/** The query of a paged list with these columns; every parameter is optional. */
export function listQueryOf(columns: Readonly<Record<string, { finds: string }>>) {
  const keys = Object.keys(columns)
  const filters = Object.entries(columns).map(([key, { finds }]) => [
    `filter[${key}]`,
    z.optional(Text).register(z.globalRegistry, { description: finds }),
  ])
  return z.strictObject({
    ...paging,
    sort: z.optional(z.enum(keys, { error: `Sort by one of these: ${keys.join(', ')}.` })),
    ...(Object.fromEntries(filters) as Record<never, never>),
  })
}

/** The parsed list query; undefined for a request without parameters, which gets the whole list unless `isPage`. */
export function listQuery(
  query: z.infer<ReturnType<typeof listQueryOf>>,
  { isPage = false } = {},
): ListQuery | undefined {
  if (Object.keys(query).length === 0 && !isPage) return undefined
  const { page = 1, size = defaultPageSize, sort, order, zone = 'UTC', ...rest } = query
  const filters = Object.entries<string | undefined>(rest).flatMap(([name, text]) => {
    const key = /^filter\[(\w+)\]$/.exec(name)?.[1]
    return key && text ? [[key, text] as const] : []
  })
  return { page, size, sort, order, zone, filters }
}
