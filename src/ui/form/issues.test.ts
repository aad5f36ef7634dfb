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
it('tells nothing of what is right', () => {
  expect(issuesOf(Form, { url: 'x', minutes: 1 })).toEqual({})
})
