import * as z from 'zod/mini'

const longestName = 80

/** Control characters, and those that turn around the text next to them, since names stand in sentences that others read. */
const controls = String.raw`\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069`

const control = new RegExp(`[${controls}]`, 'u')
export const hasControls = (text: string): boolean => control.test(text)

export const withoutControls = z.regex(new RegExp(`^[^${controls}]*$`, 'u'), {
  error: "The name can't contain control characters or text direction marks.",
})

/** A text that has to be entered, as `empty` says, and may have this number of characters. */
export const filledText = (empty: string, most: number, tooLong = `Use at most ${most} characters.`) =>
  z.string({ error: empty }).check(z.trim(), z.minLength(1, { error: empty }), z.maxLength(most, { error: tooLong }))

/** Something to see: nobody could tell who has a name of joiners and fillers alone. */
const visible = /[^\s\p{Default_Ignorable_Code_Point}]/u
export const isVisible = (name: string): boolean => visible.test(name)
export const withVisible = z.regex(visible, { error: 'Enter a name.' })

/** A text from elsewhere, on one line, fit to be stored and sent. */
export const cleanText = (text: string): string => text.replaceAll(new RegExp(`[${controls}]+`, 'gu'), ' ').trim()

/** The name of something that may do without; an empty name is none. */
export const OptionalName = z.nullable(
  z.pipe(
    z
      .string({ error: 'Enter a name, or null for none.' })
      .check(z.trim(), z.maxLength(longestName, { error: `Use at most ${longestName} characters.` }), withoutControls),
    z.transform((name) => (name === '' ? null : name)),
  ),
)
