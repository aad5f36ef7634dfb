import { describe, expect, test } from 'vitest'
import { demo, pathOf, snippetsOf } from './address.ts'

describe('the address of a badge', () => {
  test.each([
    [{}, '/api/v1/analyticsbadge/demo?text=Demo'],
    [{ label: '' }, '/api/v1/analyticsbadge/demo'],
    [{ tag: 'a_B9', label: 'Seen by - you_' }, '/api/v1/analyticsbadge/a_B9?text=Seen%20by%20-%20you_'],
    [{ label: '', style: 'flat', color: 'blue' } as const, '/api/v1/analyticsbadge/demo?style=flat&color=blue'],
    [
      { labelColor: '#4078C0', abbreviated: true },
      '/api/v1/analyticsbadge/demo?text=Demo&labelColor=%234078C0&abbreviated=true',
    ],
    [{ label: '', color: 'half of one' }, '/api/v1/analyticsbadge/demo'],
  ])('of %j is %s', (choice, path) => {
    expect(pathOf({ ...demo, ...choice })).toBe(path)
  })

  test('is written as each language wants it', () => {
    const url = 'https://tools.example.com/api/v1/analyticsbadge/demo?text=Demo&style=flat'
    expect(snippetsOf(url, 'Demo').map(({ text }) => text)).toEqual([
      `![Demo](${url})`,
      `<img src="${url.replace('&', '&amp;')}" alt="Demo">`,
      `.. image:: ${url}\n   :alt: Demo`,
    ])
    expect(snippetsOf(url, ' ')[0]?.text).toBe(`![views](${url})`)
  })
})
