import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { issuesOf } from './issues.ts'

const Form = z.object({
  url: z.string().check(z.minLength(1, { error: 'Enter a URL.' })),
  minutes: z.int({ error: 'Whole minutes.' }),
})

it('tells the first reason of each refused field', () => {
  expect(issuesOf(Form, { url: '', minutes: 1.5 })).toEqual({ url: 'Enter a URL.', minutes: 'Whole minutes.' })
})
it('tells the reason of a part of a field, too', () => {
  const Hours = z.object({ quiet: z.object({ days: z.array(z.int({ error: 'Whole days.' })), from: z.string() }) })
  const wrong = { quiet: { days: [1, 0.5], from: '' } }
  expect(issuesOf(Hours, wrong)).toEqual({ quiet: 'Whole days.', 'quiet.days': 'Whole days.' })
})
it('tells nothing of what is right', () => {
  expect(issuesOf(Form, { url: 'x', minutes: 1 })).toEqual({})
})
