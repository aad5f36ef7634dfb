import * as z from 'zod/mini'

/** How a ping asks, and what it accepts as an answer. */
export const Method = z.enum(['GET', 'HEAD'], { error: 'Use GET or HEAD.' })

const mostHeaders = 10
const longestValue = 2_048

/** Those that say whom a request is for or from, and those that belong to one connection. */
const refused =
  /^(?:host|cookie2?|content-length|expect|connection|keep-alive|te|trailer|transfer-encoding|upgrade|http2-settings|proxy-.*|forwarded|x-forwarded(?:-.*)?|x-original-.*|x-rewrite-url|x-(?:real|client|cluster-client|remote)-ip|(?:true-client|cf-connecting|fastly-client)-ip|via)$/i

/** Whether a header may not be set. Many servers read an underscore in a name as a hyphen. */
export const isRefusedHeader = (name: string): boolean => refused.test(name.replaceAll('_', '-'))

const HeaderName = z.string({ error: "Enter the header's name." }).check(
  z.trim(),
  z.minLength(1, { error: "Enter the header's name." }),
  z.maxLength(100, { error: 'Use at most 100 characters for the name of a header.' }),
  z.regex(/^[\w!#$%&'*+.^`|~-]*$/, { error: 'A header can have letters, digits and hyphens in its name.' }),
  z.refine((name) => !isRefusedHeader(name), { error: ({ input }) => `The header ${String(input)} can't be set.` }),
)

/** Stands for a value where it may not be shown; no value contains it, since it isn't ASCII. */
export const masked = '••••'
const HeaderValue = z.string({ error: "Enter the header's value." }).check(
  z.trim(),
  z.maxLength(longestValue, { error: `Use at most ${longestValue} characters for the value of a header.` }),
  z.regex(/^(?:•{4})?[\t\x20-\x7e]*$/, {
    error: 'The value of a header can have plain letters, digits and signs only.',
  }),
)

/** What a ping sends besides; a header without a value is not sent. */
export const Headers = z.array(z.strictObject({ name: HeaderName, value: HeaderValue })).check(
  z.maxLength(mostHeaders, { error: `Use at most ${mostHeaders} headers.` }),
  z.refine((headers) => new Set(headers.map(({ name }) => name.toLowerCase())).size === headers.length, {
    error: 'Use each header only once.',
  }),
)
export type Headers = z.infer<typeof Headers>

const statusError = { error: 'Enter statuses such as 200-399,401.' }
const isRange = ([from = 0, to = from]: readonly number[]) => from <= to
const Statuses = z.string(statusError).check(
  z.trim(),
  z.maxLength(200, { error: 'Use at most 200 characters.' }),
  z.regex(/^[1-5]\d\d(?:\s*-\s*[1-5]\d\d)?(?:\s*,\s*[1-5]\d\d(?:\s*-\s*[1-5]\d\d)?)*$/, statusError),
  z.refine((list) => list.split(',').every((part) => isRange(part.split('-').map(Number))), statusError),
)
const Text = z
  .string({ error: 'Enter a text.' })
  .check(z.minLength(1, { error: 'Enter a text.' }), z.maxLength(500, { error: 'Use at most 500 characters.' }))

/** What an answer must be to count as a success; by default, its status is below 400. The texts are looked for in its first 64 KB. */
export const Expect = z.strictObject({
  statuses: z.optional(Statuses),
  text: z.optional(Text),
  absent: z.optional(Text),
})
export type Expect = z.infer<typeof Expect>
