import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { issuesOf } from './issues.ts'

const Form = z.object({
  url: z.string().check(z.minLength(1, { error: 'Enter a URL.' })),
  minutes: z.int({ error: 'Whole minutes.' }),
})

it('returns the first error of each invalid field', () => {
  expect(issuesOf(Form, { url: '', minutes: 1.5 })).toEqual({ url: 'Enter a URL.', minutes: 'Whole minutes.' })
})
it('also returns the errors of a field’s parts', () => {
  const Hours = z.object({ quiet: z.object({ days: z.array(z.int({ error: 'Whole days.' })), from: z.string() }) })
  const wrong = { quiet: { days: [1, 0.5], from: '' } }
  expect(issuesOf(Hours, wrong)).toEqual({ quiet: 'Whole days.', 'quiet.days': 'Whole days.' })
})
it('returns no errors for valid values', () => {
  expect(issuesOf(Form, { url: 'x', minutes: 1 })).toEqual({})
})
