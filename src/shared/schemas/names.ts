import * as z from 'zod/mini'

const longestName = 80

/** Control characters and text direction marks: in a message, a name with these could garble the text around it. */
const controls = String.raw`\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069`

const control = new RegExp(`[${controls}]`, 'u')
export const hasControls = (text: string): boolean => control.test(text)

export const withoutControls = z.regex(new RegExp(`^[^${controls}]*$`, 'u'), {
  error: "The name can't contain control characters or text direction marks.",
})

/** `empty` is the message if the text is missing. */
export const requiredText = (empty: string, most: number, tooLong = `Use at most ${most} characters.`) =>
  z.string({ error: empty }).check(z.trim(), z.minLength(1, { error: empty }), z.maxLength(most, { error: tooLong }))

/** At least one visible character: a name of joiners and fillers alone would look empty. */
const visible = /[^\s\p{Default_Ignorable_Code_Point}]/u
export const isVisible = (name: string): boolean => visible.test(name)
const noName = { error: 'Enter a name.' }
export const withVisible = z.regex(visible, noName)

/** Replaces control characters in text from other systems, so that it is one line, fit to store and send. */
export const cleanText = (text: string): string => text.replaceAll(new RegExp(`[${controls}]+`, 'gu'), ' ').trim()

/** An empty name becomes null. */
export const OptionalName = z.nullable(
  z.pipe(
    z.string({ error: 'Enter a name, or null for none.' }).check(
      z.trim(),
      z.refine((name) => name === '' || isVisible(name), noName),
      z.maxLength(longestName, { error: `Use at most ${longestName} characters.` }),
      withoutControls,
    ),
    z.transform((name) => (name === '' ? null : name)),
  ),
)
