import fc from 'fast-check'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { escapeMarkdown } from '../message/card.ts'
import { Link, renderMarkdown, rowsOf } from './discord-markdown.tsx'

const html = (text: string) => renderToStaticMarkup(renderMarkdown(text))
const link = (to: string, words: string) => `<a href="${to}" target="_blank" rel="noreferrer">${words}</a>`

test('code and links are rendered, and nested where Discord nests them', () => {
  expect(html('v42 of `5d2f0c9`')).toBe('v42 of <code>5d2f0c9</code>')
  expect(html('[`5d2f0c9`](https://github.com/a/b/commit/5d2f0c9)')).toBe(
    link('https://github.com/a/b/commit/5d2f0c9', '<code>5d2f0c9</code>'),
  )
})

test('an escaped mark is rendered as its character', () => {
  expect(html(String.raw`\*\*not bold\*\* \`not code\` snake\_case \\ \[a\](https`)).toBe(
    '**not bold** `not code` snake_case \\ [a](https',
  )
  expect(html(String.raw`C:\new\table`)).toBe(String.raw`C:\new\table`)
})

test('marks within code are not rendered', () => {
  expect(html(String.raw`\`**a** \*\``)).toBe('`**a** *`')
  expect(html(String.raw`${'`'}**a** \* [b](https://b.example)${'`'}`)).toBe(
    String.raw`<code>**a** \* [b](https://b.example)</code>`,
  )
})

test('a role mention is rendered as @role, and other mentions are not rendered', () => {
  expect(html('<@&123456789012345678>')).toMatch(/^<span [^>]*title="The role 123456789012345678"[^>]*>@role<\/span>$/)
  expect(html('<@123456789012345678> @everyone <@&12>')).toBe('&lt;@123456789012345678&gt; @everyone &lt;@&amp;12&gt;')
})

test('a URL becomes a link without the full stop after it', () => {
  expect(html('See https://a.example/b?c=d.')).toBe(
    `See ${link('https://a.example/b?c=d', 'https://a.example/b?c=d')}.`,
  )
})

test.each([
  '[a](javascript:alert(1))',
  '[a](data:text/html,x)',
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '[a](https://a.example/"onmouseover="alert(1))',
])('%s creates no unsafe link or tag', (text) => {
  const renderMark = html(text)
  const tags = [...renderMark.matchAll(/<[^/>][^>]*>/g)].map(([tag]) => tag)
  for (const tag of tags) expect(tag).toMatch(/^<a href="https:\/\/a\.example[^"]*" target="_blank" rel="noreferrer">$/)
  expect(renderMark).toContain(text.startsWith('[') ? 'a' : '&lt;')
})

test('a link within a link is rendered as text', () => {
  expect(html('[see https://b.example now](https://a.example)')).toBe(
    link('https://a.example', 'see <span>https://b.example</span> now'),
  )
})

test('a link without a web URL is rendered as text', () => {
  expect(renderToStaticMarkup(<Link to="javascript:alert(1)">words</Link>)).toBe('words')
  expect(renderToStaticMarkup(<Link to={undefined}>words</Link>)).toBe('words')
})

test('any text that cards escape is rendered as it was written', () => {
  const plain = fc.string({ unit: fc.constantFrom(...'ab \\*_~|`[]<>()#-.1@&!'.split('')), maxLength: 60 })
  fc.assert(
    fc.property(plain, (text) => {
      const words = renderToStaticMarkup(text.replace(/\s+/g, ' ').trim())
      expect(html(escapeMarkdown(text)).replaceAll('\u200b', '')).toBe(words)
    }),
  )
})

test('a long text full of unclosed marks is rendered quickly', () => {
  for (const piece of ['**', '[', '`', '\\', '<@&', 'https://', '[a](', '**a'])
    expect(html(piece.repeat(4_096 / piece.length)).length).toBeGreaterThan(0)
})

const field = (name: string, inline: boolean) => ({ name, inline })
const names = (...fields: ReturnType<typeof field>[]) => rowsOf(fields).map((row) => row.map(({ name }) => name))

test('inline fields are placed three to a row, other fields alone', () => {
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => field(name, true)) as [never, never, never, never]
  expect(names(a, b, c, d)).toEqual([['a', 'b', 'c'], ['d']])
  expect(names(a, field('wide', false), b, c)).toEqual([['a'], ['wide'], ['b', 'c']])
  expect(names()).toEqual([])
})
