import { brotliCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { keepaliveScene } from '../../../test/support/scenes/keepalive-scene.ts'
import { readXml } from '../../../test/support/xml.ts'
import { days, minutes, seconds } from '../../shared/time.ts'
import { causeOf, publicCauses } from './load.ts'
import { toParagraphs } from './text.ts'

/** Generates the same sequence of numbers from 0 to 1 for a seed. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

describe.each(dialects)('a public status page on %s', async (dialect) => {
  const { box, ada, adaUser, create } = await keepaliveScene(dialect)

  beforeEach(() => {
    box.pass(seconds(11))
  })

  const visit = (url: string, headers: Record<string, string> = {}) => box.app.inject({ url, headers })
  const put = (entries: object[], more: object = {}) =>
    ada.put('/api/v1/user/status', { slug: 'ada', title: "Ada's services", entries, ...more })

  /** Creates entries of Ada's that never run; returns them in the form that a status page takes. */
  async function createMany(count: number) {
    const rows = Array.from({ length: count }, (_, index) => ({
      id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
      tool: 'keepalive',
      owner_id: adaUser.id,
      name: `Service ${(index * 7_919) % 1_000} of ${['billing', 'search', 'images', 'mail', 'accounts'][index % 5]}`,
      status: 1 as const,
      settings: JSON.stringify({ url: `https://service-${index * 37}.example.com/health/${index}`, interval: null }),
      address: null,
      created_at: box.now(),
      updated_at: box.now(),
      last_at: box.now(),
      last_success: 1 as const,
    }))
    for (let at = 0; at < count; at += 50)
      await box.db.q
        .insertInto('entry')
        .values(rows.slice(at, at + 50))
        .execute()
    return rows.map(({ id, tool }) => ({ id, tool, showUrl: true }))
  }

  test('the HTML, feed and JSON reveal only chosen entries, and only their public fields', async () => {
    const marks = (index: number) => ({ name: `name-of-${index}`, path: `path-of-${index}`, key: `key-of-${index}` })
    const created = await Promise.all(
      [0, 1, 2, 3].map(async (index) => {
        const { name, path, key } = marks(index)
        const headers = [{ name: 'Authorization', value: `Bearer header-of-${index}-longer-than-shown` }]
        const expect = { absent: `text-of-${index}` }
        return create(`/${path}?${key}`, { name, headers, expect, notifyAfter: 1, interval: 5 })
      }),
    )
    const unnamed = await create('/path-of-4?key-of-4', { notifyAfter: 1, interval: 5 })
    const all = [...created, unnamed]
    await box.work.runDue()
    const chosen = fc.uniqueArray(fc.record({ index: fc.nat({ max: 4 }), showUrl: fc.boolean() }), {
      selector: ({ index }) => index,
    })
    await fc.assert(
      fc.asyncProperty(chosen, async (selected) => {
        const entries = selected.map(({ index, showUrl }) => ({ tool: 'keepalive', id: all[index]?.id, showUrl }))
        expect((await put(entries)).status).toBe(200)
        const forms = ['/status/ada', '/status/ada/feed.xml', '/status/ada.json']
        const texts = await Promise.all(forms.map(async (url) => (await visit(url)).body))
        for (const [index, { id }] of all.entries()) {
          const at = selected.findIndex((one) => one.index === index)
          const { name, path, key } = marks(index)
          const never = [id, key, `header-of-${index}`, `text-of-${index}`, 'ada@example.com']
          const hidden = [...never, ...(at < 0 ? [name] : []), ...(selected[at]?.showUrl ? [] : [path])]
          for (const text of texts) expect(hidden.filter((word) => text.includes(word))).toEqual([])
          if (at >= 0) expect(texts[0]).toContain(index === 4 ? `Entry ${at + 1}<` : `${name}<`)
          if (selected[at]?.showUrl) expect(texts[0]).toContain(`/${path}<`)
        }
      }),
      { numRuns: 25 },
    )
  })

  test('is well-formed, and at most 15 kB for fifty entries with ninety days and their incidents', async () => {
    const entries = await createMany(50)
    const random = randomOf(7)
    const rows = entries.flatMap(({ id }) =>
      Array.from({ length: 90 }, (_, ago) => {
        const fail = random() < 0.1 ? Math.ceil(random() * 50) : 0
        const day = new Date(box.now() - days(ago)).toISOString().slice(0, 10)
        return { entry_id: id, day, ok: 51 - fail, fail, ms_sum: 1, ms_max: 1 }
      }).filter(() => random() < 0.98),
    )
    for (let at = 0; at < rows.length; at += 100)
      await box.db.q
        .insertInto('run_day')
        .values(rows.slice(at, at + 100))
        .execute()
    const incidents = Array.from({ length: 40 }, (_, index) => {
      const opened_at = box.now() - days(index) - minutes(Math.round(random() * 600))
      const closed_at = index < 3 ? null : opened_at + minutes(Math.round(random() * 300))
      const entry_id = entries[index]?.id ?? ''
      return { id: `incident-${index}`, entry_id, since: opened_at, opened_at, closed_at, cause: 'timeout after 60 s' }
    })
    await box.db.q.insertInto('incident').values(incidents).execute()
    await put(entries, { text: 'What we run, and how it is doing. '.repeat(20).trim() })
    const html = await visit('/status/ada', { 'accept-encoding': 'br' })
    expect(html.headers['content-encoding']).toBe('br')
    const plain = (await visit('/status/ada')).body
    console.info(`${html.rawPayload.length} B of ${plain.length} B; ${brotliCompressSync(plain).length} B at best`)
    expect(html.rawPayload.length).toBeLessThan(15_000)
    expect(plain.match(/<script.*?>[^<]*/gs)).toEqual([expect.stringContaining("localStorage.getItem('theme')")])
    expect(plain).not.toMatch(/\bon\w+=|style=/)
    expect(plain.match(/<path class="d"/g)?.length).toBeGreaterThan(20)
    for (const svg of plain.match(/<svg.*?<\/svg>/g) ?? []) readXml(svg)
    const feed = await visit('/status/ada/feed.xml')
    expect(readXml(feed.body.replace(/^<\?xml.*?\?>\n/, '').trim())).toBeDefined()
    const ids = [...feed.body.matchAll(/<id>urn:uuid:([\w-]+)<\/id>/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(1 + 3 + 2 * 20)
  })

  test('has pages of a hundred entries; other page numbers are a 404 without a query', async () => {
    await put(await createMany(201))
    const page = async (query: string) => {
      const { statusCode, body } = await visit(`/status/ada${query}`)
      return [statusCode, body.split('class="r"').length - 1, /Page \d of \d/.exec(body)?.[0]]
    }
    expect(await page('')).toEqual([200, 100, 'Page 1 of 3'])
    expect(await page('?page=2')).toEqual([200, 100, 'Page 2 of 3'])
    expect(await page('?page=3')).toEqual([200, 1, 'Page 3 of 3'])
    const selectFrom = vi.spyOn(box.db.q, 'selectFrom')
    for (const wrong of ['?page=4', '?page=999999', '?page=0', '?page=01', '?page=x', '?page=1&page=2'])
      expect((await page(wrong))[0]).toBe(404)
    for (const slug of ['a', 'Ada', 'a'.repeat(41), 'a%20b', '..%2F'])
      expect((await visit(`/status/${slug}`)).statusCode).toBe(404)
    expect(selectFrom).not.toHaveBeenCalled()
    selectFrom.mockRestore()
    expect((await visit('/status/ada.json?page=3')).json()).toMatchObject({ page: 3, pages: 3, total: 201 })
    expect((await visit('/status/ada.json?page=4')).statusCode).toBe(404)
    for (const path of ['/status/nobody.json', '/status/%0A.json', '/status/a%0Ab.json?page='])
      expect((await visit(path)).json()).toEqual({ error: 'Status page not found.' })
  })

  test('a thousand concurrent visitors cause one database read', async () => {
    await put(await createMany(3))
    const reads = vi.spyOn(box.db, 'longRead')
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => visit('/status/ada')))
    expect(answers.every(({ statusCode }) => statusCode === 200)).toBe(true)
    expect(reads).toHaveBeenCalledTimes(1)
    reads.mockRestore()
  })
})

test('a public cause is one of a few fixed texts, whatever the note contains', () => {
  expect(causeOf('timeout after 60 s')).toBe('No response in time')
  expect(causeOf('dns: no such host')).toBe('Name not found')
  expect(causeOf('connect: refused')).toBe('No connection')
  expect(causeOf('tls: certificate expired')).toBe('Certificate or encryption problem')
  expect(causeOf('answered 503')).toBe('Answered with an error')
  expect(causeOf('answered 200 but the text is missing')).toBe('Unexpected response')
  expect(causeOf('still asleep after 20 minutes')).toBe('Asleep')
  expect(causeOf('paused: restore it at https://supabase.com/dashboard until 29/11/2027')).toBe('Paused by its host')
  expect(causeOf('restricted: the project used up its quota')).toBe('Restricted by its host')
  expect(causeOf('Streamlit answered in a way that ToolBox does not know (facts of November 2026)')).toBe(
    'Unexpected response',
  )
  expect(causeOf('Discord has deleted the webhook 1234')).toBe('Failed')
  fc.assert(fc.property(fc.string(), (note) => publicCauses.includes(causeOf(note))))
})

test('escapes the text of the page, and turns only web addresses into links', () => {
  expect(toParagraphs('One\ntwo\n\n\n<img src=x onerror=alert(1)>')).toBe(
    '<p dir="auto">One<br>two</p><p dir="auto">&lt;img src=x onerror=alert(1)&gt;</p>',
  )
  expect(toParagraphs('javascript:alert(1) and (https://a.example/x?b=1&c="2")')).toBe(
    '<p dir="auto">javascript:alert(1) and (<a href="https://a.example/x?b=1&amp;c=" rel="nofollow noopener noreferrer">a.example/x?b=1&amp;c=</a>&quot;2&quot;)</p>',
  )
  expect(toParagraphs('')).toBe('')
  fc.assert(fc.property(fc.string(), (text) => !/<(?!\/?(?:p|br|a)\b)|href="(?!https?:)/.test(toParagraphs(text))))
})
