import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { markdownHtml } from './manual.ts'

const html = (...lines: string[]) =>
  markdownHtml(lines.join('\n'), (target) => (target.startsWith('no') ? undefined : target))

test('headings, paragraphs and code become HTML, and raw HTML is escaped', () => {
  expect(html('# One', '', 'Two *em* **bold**', 'lines & `a<b>*c*`.', '', '```sh', 'x <y', '```', '## One')).toBe(
    '<h1 id="one">One</h1><p>Two <em>em</em> <strong>bold</strong>\nlines &amp; <code>a&lt;b&gt;*c*</code>.</p>' +
      '<pre><code>x &lt;y</code></pre><h2 id="one-1">One</h2>',
  )
  expect(html('<script>alert(1)</script>')).toBe('<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>')
})

test('links and pictures point to where they are served, and unserved ones become text', () => {
  expect(html('[`a`](b.md#c), [d](nowhere), ![e & f](g.png), ![h](no.png)')).toBe(
    '<p><a href="b.md#c"><code>a</code></a>, d, <img src="g.png" alt="e &amp; f">, h</p>',
  )
})

test('lists may contain lists, code and several lines', () => {
  expect(html('1. one', '   more', '2. two', '   ```', '   x', '   ```', '', '- a', '  - b', '', 'end')).toBe(
    '<ol><li>one\nmore</li><li>two<pre><code>x</code></pre></li></ol><ul><li>a<ul><li>b</li></ul></li></ul><p>end</p>',
  )
})

test('tables have a head only if it contains text, and cells may contain bars', () => {
  expect(html('| a | |', '|---|---|', '| `x\\|y` | c |')).toBe(
    '<div class="table"><table><thead><tr><th>a</th><th></th></tr></thead>' +
      '<tbody><tr><td><code>x|y</code></td><td>c</td></tr></tbody></table></div>',
  )
  expect(html('| | |', '|---|---|', '| a | b |')).not.toContain('<thead>')
})

test('no Markdown syntax is left in any page of the documentation', () => {
  const root = new URL('../../../docs/', import.meta.url)
  for (const path of globSync('**/*.md', { cwd: root })) {
    const rendered = markdownHtml(readFileSync(new URL(path, root), 'utf8'), (target) => target)
    const prose = rendered.replace(/<(code|pre)>.*?<\/\1>/gs, '').replace(/<[^>]*>/g, '')
    expect(prose.match(/\]\(|```|\*\*|^\||^#/gm), path).toBeNull()
  }
})
