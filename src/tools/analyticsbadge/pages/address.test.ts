import { describe, expect, test } from 'vitest'
import { choiceOf, darkPathOf, demo, pathOf, searchOf, snippetsOf } from './address.ts'

describe('the URL of a badge', () => {
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
  ])('for %j is %s', (choice, path) => {
    expect(pathOf({ ...demo, ...choice })).toBe(path)
  })

  test('is embedded in the syntax of each markup language', () => {
    const url = 'https://tools.example.com/api/v1/analyticsbadge/demo?text=Demo&style=flat'
    const dark = `${url}&labelColor=222`
    const image = `<img src="${url.replace('&', '&amp;')}" alt="Demo">`
    expect(snippetsOf({ url, dark, label: 'Demo' }).map(({ text }) => text)).toEqual([
      `![Demo](${url})`,
      image,
      `.. image:: ${url}\n   :alt: Demo`,
      `image:${url}[Demo]`,
      `<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="${dark.replaceAll('&', '&amp;')}">\n  ${image}\n</picture>`,
    ])
    expect(snippetsOf({ url, dark, label: ' ' })[0]?.text).toBe(`![views](${url})`)
  })

  test('has a different label color on dark pages', () => {
    expect([darkPathOf(demo), darkPathOf({ ...demo, labelColor: 'red', dark: 'blue' })]).toEqual([
      '/api/v1/analyticsbadge/demo?text=Demo&labelColor=30363d',
      '/api/v1/analyticsbadge/demo?text=Demo&labelColor=blue',
    ])
  })
})

describe('the URL of the page', () => {
  test.each([
    [{}, {}],
    [{ label: '' }, { tag: 'demo' }],
    [{ style: 'social' } as const, { style: 'social' }],
    [{ tag: 'mine', label: '' }, { tag: 'mine' }],
    [
      { tag: 'mine', label: 'Seen by', period: '7d', logo: 'github', dark: '222', abbreviated: true } as const,
      { tag: 'mine', text: 'Seen by', period: '7d', logo: 'github', dark: '222', abbreviated: 'true' },
    ],
  ])('preserves %j', (choice, search) => {
    expect(searchOf({ ...demo, ...choice })).toEqual(search)
    expect(choiceOf(search)).toEqual({ ...demo, ...choice })
  })

  test('drops values that the form does not offer', () => {
    const nonsense = { tag: 'a-b', text: '<b>', style: 'none', period: '8d', color: 'half', logo: '../x', dark: '1' }
    expect(choiceOf(nonsense)).toEqual(demo)
    expect(choiceOf({ tag: 'mine', text: '<b>' })).toEqual({ ...demo, tag: 'mine', label: '' })
  })
})
