import { expect, test } from 'vitest'
import { beginningOf } from './beginnings.ts'

const callsOf = (path: string, query = '') => beginningOf(path, new URLSearchParams(query)).guarded?.calls

test('the screen of an entry begins with it and its incidents, unless the address holds no id', () => {
  const id = 'f5696fe8-8312-4bf7-a5ad-50db9020ac31'
  expect(callsOf('/tools/ghmdinvalidator/modify', `id=${id}`)).toEqual([
    `/api/v1/ghmdinvalidator?id=${id}`,
    `/api/v1/incidents?id=${id}`,
  ])
  for (const query of ['', 'id=', 'id=1%3E%2C%3C/x', `id=${id}0`, `other=${id}`])
    expect(callsOf('/tools/ghmdinvalidator/modify', query)).toEqual([])
  expect(callsOf('/tools/keepalive/create', `id=${id}`)).toEqual([])
})
