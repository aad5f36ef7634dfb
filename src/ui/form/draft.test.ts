import { expect, it } from 'vitest'
import { errorsOfUnchanged, mergeWithSaved } from './draft.ts'

const before = { url: 'https://old.example', filter: { preset: 'everything' }, status: true }

it('takes over values saved elsewhere', () => {
  const after = { ...before, url: 'https://new.example', filter: { preset: 'deploys' } }
  expect(mergeWithSaved(structuredClone(before), before, after)).toEqual(after)
})
it('keeps typed values', () => {
  const typed = { ...before, url: 'https://typed.example' }
  const after = { ...before, url: 'https://new.example', status: false }
  expect(mergeWithSaved(typed, before, after)).toEqual({ ...after, url: typed.url })
})
it('keeps a number field empty even if null is saved', () => {
  const saved = { interval: null as number | null }
  expect(mergeWithSaved({ interval: Number.NaN }, saved, saved)).toEqual({ interval: Number.NaN })
})
it('drops the errors of fields corrected before the response arrived', () => {
  const errors = { url: 'No such host.', 'filter.preset': 'Unknown.', form: 'Too many.' }
  const now = { ...before, url: 'https://right.example' }
  expect(errorsOfUnchanged(errors, before, now)).toEqual({ 'filter.preset': 'Unknown.', form: 'Too many.' })
  expect(errorsOfUnchanged(errors, before, { ...before, filter: { preset: 'deploys' } })).toEqual({
    url: 'No such host.',
    form: 'Too many.',
  })
})
