import { expect, test } from 'vitest'
import {
  blankOf,
  changesBetween,
  type Fields,
  formatValues,
  inputsOf,
  labelledInputs,
  missingIn,
  valuesOf,
} from './fields.ts'

type Values = { name: string; url: string; tags: string[]; role: string | null; on: boolean; every: number }
const fields: Fields<Values> = {
  name: { label: 'Name', blank: '' },
  url: { label: 'URL', blank: '', required: true },
  tags: { label: 'Tags', blank: [] },
  role: { label: 'Role', blank: null, show: (role) => role ?? 'Nobody' },
  on: { label: 'Active', blank: true },
  every: { label: 'Pings', blank: 5, show: (every, { on }) => (on ? `every ${every} minutes` : 'none') },
}
const blank = blankOf(fields)

test('a form starts with its blank values, or with those of a record', () => {
  expect(blank).toEqual({ name: '', url: '', tags: [], role: null, on: true, every: 5 })
  const record = { id: '1', name: null, url: 'https://a.example', role: null, on: false, every: 7 }
  expect(valuesOf(fields, record)).toEqual({ ...blank, url: 'https://a.example', on: false, every: 7 })
})

test('lists the labels of required fields without text as missing', () => {
  expect(missingIn(fields, { ...blank, url: ' ' })).toEqual(['URL'])
  expect(missingIn(fields, { ...blank, url: 'a' })).toEqual([])
})

test('only values that differ count as changes', () => {
  expect(changesBetween(blank, { ...blank, tags: [] })).toEqual({})
  expect(changesBetween(blank, { ...blank, tags: ['a'], role: '1' })).toEqual({ tags: ['a'], role: '1' })
})

test('formats every value as text under its label', () => {
  const words = { Name: 'None', URL: 'None', Tags: 'None', Role: 'Nobody', Active: 'On', Pings: 'every 5 minutes' }
  expect(formatValues(fields, blank)).toEqual(words)
  const values = { ...blank, name: 'Ada', tags: ['a', 'b'], on: false }
  expect(formatValues(fields, values)).toMatchObject({ Name: 'Ada', Tags: 'a, b', Active: 'Off', Pings: 'none' })
})

test('an input receives the value and error of its field, and sets the value', () => {
  const set: unknown[] = []
  const draft = { values: blank, errors: { url: 'No host.' }, set: (...change: unknown[]) => void set.push(change) }
  const { onChange, ...props } = labelledInputs(draft, fields)('url')
  expect(props).toEqual({ label: 'URL', required: true, value: '', error: 'No host.' })
  onChange('b')
  inputsOf(draft)('on').onChange(false)
  expect(set).toEqual([
    ['url', 'b'],
    ['on', false],
  ])
})
