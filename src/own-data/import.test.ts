import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { dialects } from '../../test/support/database/databases.ts'
import { createImportUser, type FileType } from '../../test/support/scenes/import-scene.ts'
import { closeAfterwards, toolbox } from '../../test/support/toolbox.ts'
import { minutes, seconds } from '../shared/time.ts'

const doc = readFileSync(new URL('../../docs/your-data.md', import.meta.url), 'utf8')
/** The example below a heading of docs/your-data.md. */
function example(heading: string): string {
  const [, text = ''] = new RegExp(`### ${heading}\\n[^]*?\`\`\`\\w+\\n([^]*?)\`\`\``).exec(doc) ?? []
  return text
}

const public8 = '93.184.215.14'

describe.each(dialects)('an import on %s', async (dialect) => {
  const resolve = async (name: string) => (name === 'gone.example' ? [] : [public8])
  const box = closeAfterwards(await toolbox(dialect, {}, undefined, { resolve }))

  test('accepts the examples of docs/your-data.md, and changes nothing the second time', async () => {
    const { importFile, list } = await createImportUser(box)
    const files = [
      ['A list of URLs', 'text/plain', { created: 2, changed: 0, same: 0, refused: [] }],
      ['A table', 'text/csv', { created: 1, changed: 2, same: 0, refused: [] }],
      ["ToolBox's own file", 'application/json', { created: 0, changed: 0, same: 1, refused: [] }],
    ] as const
    for (const [heading, type, report] of files) {
      const file = example(heading)
      expect((await importFile(file, type, '?dry=true')).body, heading).toMatchObject(report)
      expect((await importFile(file, type)).body, heading).toMatchObject(report)
      // As text/plain, any file is recognized by its content.
      for (const again of [type, 'text/plain'] as const)
        expect((await importFile(file, again)).body, heading).toMatchObject({ created: 0, changed: 0, refused: [] })
    }
    expect(await list()).toMatchObject([
      { url: 'https://app.example.com/health', name: 'Shop', interval: 10, expect: null },
      { url: 'https://api.example.com/', name: 'API, the "new" one', interval: 'auto', expect: { text: 'ready' } },
    ])
    expect(await list('ghmdinvalidator')).toMatchObject([{ name: 'Readme', mode: 'always' }])
  })

  test('accepts Uptime Kuma monitors, and reports unsupported ones by line', async () => {
    const { importFile, list, screen } = await createImportUser(box)
    const backup = example('Uptime Kuma')
    // The line of the brace before it.
    const line = backup.split('\n').findIndex((text) => text.includes('"id": 2'))
    const ping = { line, why: "Monitors of the type ping can't be imported, only http and keyword." }
    const refused = await importFile(backup, 'application/json')
    expect([refused.status, refused.body]).toMatchObject([
      400,
      {
        error: `Line ${line}: ${ping.why}`,
        created: 0,
        refused: [ping],
        lines: [{ what: 'Router', outcome: 'refused' }],
      },
    ])
    expect(await list()).toEqual([])
    const done = await importFile(backup, 'application/json', '?skip=true')
    expect([done.status, done.body]).toMatchObject([200, { created: 1, refused: [ping] }])
    const [{ id } = {}] = await list()
    expect((await screen.get(`/api/v1/keepalive?id=${id}`)).body).toMatchObject({
      name: 'Shop',
      interval: 2,
      notifyAfter: 2,
      method: 'GET',
      headers: [{ name: 'X-Probe', value: '••••' }],
      expect: { statuses: '200-299', text: 'ready' },
    })
    const { body: again } = await importFile(backup, 'application/json', '?skip=true')
    expect(again).toMatchObject({ created: 0, changed: 0, same: 1 })

    const http = { type: 'http', name: 'One', url: 'https://one.example/', interval: 60, active: false }
    const monitors = [
      { ...http, accepted_statuscodes: ['200-299', '401'], basic_auth_user: 'ada', basic_auth_pass: 'pw' },
      { ...http, maxredirects: 0, accepted_statuscodes: ['301', '302'] },
      { ...http, method: 'POST' },
      { ...http, body: '{}' },
      { ...http, upsideDown: true },
      { ...http, ignoreTls: true },
      { ...http, proxyId: 1 },
      { ...http, authMethod: 'ntlm' },
      { ...http, headers: 'X-Probe: kuma' },
      { ...http, type: 'keyword' },
      { name: 'no type' },
      'no monitor',
    ]
    const { body } = await importFile(JSON.stringify({ monitorList: monitors }), 'application/json', '?skip=true')
    expect(body.refused.map(({ why }: { why: string }) => why)).toEqual([
      "Redirects are followed, so this monitor can't be imported.",
      'method: Use GET or HEAD.',
      "Requests with a body can't be imported.",
      "Monitors that are upside down can't be imported.",
      "Certificates are always checked, so this monitor can't be imported.",
      "Monitors behind a proxy can't be imported.",
      "Authentication by ntlm can't be imported.",
      'The headers are not a JSON object.',
      'The keyword is missing.',
      'This is no monitor.',
      'This must be an object.',
    ])
    expect((await list())[0]).toMatchObject({ status: false, notifyAfter: 1, expect: { statuses: '200-299,401' } })

    const leftOver = [null, 'none'].map((authMethod, index) => ({
      ...http,
      url: `https://off${index}.example/`,
      authMethod,
      basic_auth_user: 'old',
      basic_auth_pass: 'stale',
    }))
    expect((await importFile(JSON.stringify({ monitorList: leftOver }), 'application/json')).body.created).toBe(2)
    const off = (await list()).filter(({ url }) => String(url).startsWith('https://off'))
    for (const { id: each } of off)
      expect((await screen.get(`/api/v1/keepalive?id=${each}`)).body).toMatchObject({ headers: [] })
  })

  test('accepts a file of an earlier release, whose entries keep sending requests, but no secret key', async () => {
    const { importFile, list, screen } = await createImportUser(box)
    const old = { tool: 'keepalive', name: 'Old', url: 'https://old.streamlit.app/', status: false, interval: 60 }
    const entry = { ...old, notifyAfter: 2, quiet: null, method: 'GET', headers: [], expect: null }
    const file = (...entries: object[]) => JSON.stringify({ format: 'toolbox-user', version: 1, entries })
    expect((await importFile(file(entry), 'application/json')).body).toMatchObject({ created: 1, refused: [] })
    const [{ id } = {}] = await list()
    expect(await list()).toMatchObject([{ keep: 'request', kept: 'request', every: 60 }])
    await screen.patch('/api/v1/keepalive', { id, keep: 'auto' })
    expect((await importFile(file(entry), 'application/json')).body).toMatchObject({ same: 1, refused: [] })
    expect(await list()).toMatchObject([{ keep: 'auto', kept: 'streamlit' }])
    const unnamed = { ...entry, url: 'https://unnamed.streamlit.app/', name: '\u200b' }
    expect((await importFile(file(unnamed), 'application/json')).body).toMatchObject({ created: 1, refused: [] })
    expect(await list()).toContainEqual(expect.objectContaining({ url: unnamed.url, name: null }))
    const supabase = { key: 'sb_secret_abc', table: 'todos' }
    const project = { tool: 'keepalive', url: 'https://abcdefgh.supabase.co/', keep: 'auto', supabase }
    const { body } = await importFile(file(project), 'application/json')
    expect(body).toMatchObject({ created: 0, refused: [{ why: expect.stringContaining('Use the publishable key.') }] })
  })

  test('reads tables as spreadsheets write them', async () => {
    const { importFile, list } = await createImportUser(box)
    const table =
      '\uFEFFName;URL;Notify After;Status\r\n"Two\r\nlines";https://two.example/;3;Inactive\r\n\r\n;https://three.example/;;\r\n'
    expect((await importFile(table, 'text/csv')).body).toMatchObject({
      created: 0,
      refused: [{ line: 2, why: expect.stringContaining('name: ') }],
    })
    const { body } = await importFile(table.replace('Two\r\nlines', 'Say ""hi"", all'), 'text/csv')
    expect(body).toMatchObject({ created: 2, lines: [{ line: 2, what: 'Say "hi", all' }, { line: 4 }] })
    expect((await list())[0]).toMatchObject({ name: 'Say "hi", all', notifyAfter: 3, status: false })
    for (const [text, line, why] of [
      ['url,nmae\nhttps://a.example/,A', 1, 'There is no column nmae.'],
      ['name\nA', 1, 'including url'],
      ['url,url\na,b', 1, 'twice'],
      ['url', 1, 'no row'],
      ['url,name\nhttps://a.example/,"A', 2, 'A quote is never closed.'],
      ['url,name\nhttps://a.example/,"A"B', 2, 'closing quote'],
      ['url,name\nhttps://a.example/,A,B', 2, 'more cells'],
      ['url,tool\nhttps://a.example/,toaster', 2, 'There is no tool toaster.'],
      ['url,mode\nhttps://a.example/,stale', 2, 'Entries of Keep Alive have no mode.'],
      ['url,name\n,A', 2, 'Enter a URL.'],
      ['url,interval\nhttps://a.example/,often', 2, 'interval: Enter whole minutes'],
      ['url,status\nhttps://a.example/,maybe', 2, 'status: '],
      ['url,tool\nhttps://a.example/,ghmdinvalidator', 2, 'Enter a github.com'],
    ] as const)
      expect(await importFile(text, 'text/csv'), text).toMatchObject({
        status: 400,
        body: { refused: [{ line, why: expect.stringContaining(why) }] },
      })
  })

  test('ignores empty cells and rows from spreadsheets, and their sep= line', async () => {
    const { importFile, list } = await createImportUser(box)
    const blank = 'name,url,,\r\n,,,\r\nA,https://blank.example/a,,\r\n,,,\r\n,,,\r\n'
    expect((await importFile(blank, 'text/csv')).body).toMatchObject({ created: 1, refused: [], lines: [{ line: 3 }] })
    for (const sent of ['text/csv', 'text/plain'] as const) {
      const excel = `sep=;\r\nname;url\r\n${sent};https://excel.example/${sent}\r\n`
      const { body } = await importFile(excel, sent)
      expect(body, sent).toMatchObject({ created: 1, refused: [], lines: [{ line: 3 }] })
    }
    const nameless = await importFile('name,url,\nA,https://blank.example/b,B', 'text/csv')
    expect(nameless.body.refused).toEqual([{ line: 2, why: expect.stringContaining('more cells') }])
    expect(await list()).toHaveLength(3)
  })

  test('accepts comments in a list, and refuses a line with more than a URL', async () => {
    const { importFile, list } = await createImportUser(box)
    const { body } = await importFile(
      '# ours\nhttps://list.example/#part # a note\nhttps://list.example/two\t# two\nhttps://list.example/?of=a,b\n',
    )
    expect(body).toMatchObject({ created: 3, refused: [] })
    expect((await list()).map(({ url }) => url).sort()).toEqual([
      'https://list.example/#part',
      'https://list.example/?of=a,b',
      'https://list.example/two',
    ])
    for (const line of [
      'https://list.example/one\tMy app',
      'https://list.example/one, My app',
      'https://list.example/one; My app',
      'https://list.example/one,My-app',
      'https://list.example/one;My-app',
      'https://list.example/one,',
      'https://list.example/one,https://list.example/three',
    ])
      expect((await importFile(line)).body.refused, line).toEqual([
        { line: 1, why: expect.stringContaining('one URL') },
      ])
  })

  test('refuses text that some databases cannot store', async () => {
    const { importFile } = await createImportUser(box)
    for (const text of ['\\u0000', '\\ud800']) {
      const entry = `{ "tool": "keepalive", "url": "https://odd.example/", "expect": { "text": "a${text}b" } }`
      const file = `{ "format": "toolbox-user", "version": 1, "entries": [${entry}] }`
      const answer = await importFile(file, 'application/json')
      expect(answer.body.refused, text).toEqual([{ line: 1, why: 'Remove invalid characters, such as U+0000.' }])
    }
  })

  test('reports the line of the error in an invalid file, and changes nothing', async () => {
    const { importFile, list } = await createImportUser(box)
    const own = (rest: string) => `{\n"format": "toolbox-user",\n"version": 1,\n${rest}}`
    const good = '{ "tool": "keepalive", "url": "https://good.example/" }'
    for (const [text, line, why] of [
      ['', 1, 'This file is empty.'],
      [' \n\n', 1, 'This file is empty.'],
      ['[1]', 1, "isn't a ToolBox or Uptime Kuma file"],
      ['{}', 1, "isn't a ToolBox or Uptime Kuma file"],
      ['{ "format": "other" }', 1, "isn't a ToolBox or Uptime Kuma file"],
      ['{\n"format": "toolbox-user",\n"version": 2,\n"entries": []}', 3, 'a newer version of ToolBox'],
      ['{\n"format": "toolbox-user",\n"version": "x",\n"entries": []}', 3, 'version'],
      [own('"entries": {}'), 4, '“entries” must be a list.'],
      [own('"sessions": []'), 4, 'The list of entries is missing.'],
      [own(`"entries": [\n${good},\n{ "tool": "keepalive", "url": "https`), 6, 'The file ends too early.'],
      [own(`"entries": [\n${good},\n{ "tool" }\n]`), 6, 'This is not valid JSON.'],
      [own(`"entries": [\n${good},\n\n]`), 7, 'This is not valid JSON.'],
      [own(`"entries": [\n${good}\n}`), 6, 'This is not valid JSON.'],
      [`${own('"entries": []')} {}`, 4, 'This is not valid JSON.'],
      [own(`"entries": [\n${good},\n7\n]`), 6, 'This must be an object.'],
      [own(`"entries": [\n${good},\n{ "tool": "toaster" }\n]`), 6, 'There is no tool "toaster".'],
      [own(`"entries": [\n${good},\n{ "tool": "keepalive" }\n]`), 6, 'url: '],
      [own(`"entries": [\n${good},\n${good.replace('url', 'urll')}\n]`), 6, 'Unknown field: urll.'],
      [own(`"entries": ${'['.repeat(100_000)}`), 4, 'This is nested too deeply.'],
      [own(`"entries": [\n${good},\n{ "tool": "${'x'.repeat(100_000)}" }\n]`), 6, 'This entry is too long.'],
      [own(`"entries": [${'{},'.repeat(5_001)}{}]`), 4, 'A file can hold at most 5,000 entries.'],
    ] as const) {
      box.pass(seconds(3))
      expect(await importFile(text, 'application/json'), text.slice(0, 200)).toMatchObject({
        status: 400,
        body: { error: expect.any(String), created: 0, refused: [{ line, why: expect.stringContaining(why) }] },
      })
    }
    box.pass(minutes(1))
    for (const [text, line, why] of [
      ['https://good.example/\nexample.com', 2, 'url: Enter a full URL'],
      ['# nothing but this', 1, 'This file is empty.'],
      ['https://good.example/\nhttp://10.0.0.1/', 2, 'This address is private'],
      ['https://good.example/\n'.repeat(5_001), 5_001, 'A file can hold at most 5,000 entries.'],
      [Buffer.from('https://good.example/\nhttps://b\xfccher.example/', 'latin1'), 2, 'This is not text in UTF-8.'],
    ] as const)
      expect(await importFile(text), String(text).slice(0, 200)).toMatchObject({
        status: 400,
        body: { refused: [{ line, why: expect.stringContaining(why) }] },
      })
    expect((await importFile(Buffer.alloc(20 * 1_024 * 1_024 + 1, 'a'))).status).toBe(413)
    expect((await importFile(Buffer.alloc(20 * 1_024 * 1_024, '['), 'application/json')).status).toBe(400)
    expect((await importFile('a', 'text/html' as FileType)).status).toBe(415)
    expect(await list()).toEqual([])
  })

  test('imports a repeated item once, and matches entries with the same URL by their other fields', async () => {
    const { importFile, list } = await createImportUser(box)
    const twice = 'https://twice.example\nhttps://other.example/\nhttps://twice.example\n'
    expect((await importFile(twice)).body).toMatchObject({
      created: 2,
      same: 1,
      lines: [{}, {}, { line: 3, outcome: 'same', why: 'The same as line 1.' }],
    })
    const table = 'url,name,method\nhttps://pair.example/,A,HEAD\nhttps://pair.example/,B,GET\n'
    expect((await importFile(table, 'text/csv')).body).toMatchObject({ created: 2 })
    expect((await importFile(table, 'text/csv')).body).toMatchObject({ same: 2 })
    const swapped = 'url,name,method\nhttps://pair.example/,B,GET\nhttps://pair.example/,A,GET\n'
    expect((await importFile(swapped, 'text/csv')).body).toMatchObject({
      changed: 1,
      lines: [{ outcome: 'same' }, { what: 'A', outcome: 'changed' }],
    })
    expect(await list()).toHaveLength(4)
    // This is another spelling of the same URL.
    expect((await importFile('https://TWICE.example/')).body).toMatchObject({ same: 1 })
  })

  test('refuses oversized and unrelated content early, and keeps little of it', async () => {
    const { importFile, list } = await createImportUser(box)
    const own = (rest: string) => `{"format": "toolbox-user", "version": 1, ${rest}}`
    const good = '{ "tool": "keepalive", "url": "https://good.example/" }'
    const newNames = Array.from({ length: 1_001 }, (_, index) => `{"x":[{"name${index}":1}]},`).join('')
    const manyRows = (row: string) => `url\n${row.repeat(5_000)}`
    for (const [type, text, line, why] of [
      ['text/plain', Buffer.concat([Buffer.alloc(300_000, '\n'), Buffer.from([0xff])]), 300_001, 'not text in UTF-8'],
      ['text/plain', Buffer.from(`${'é'.repeat(50_000)}\r\né\xff`, 'latin1'), 1, 'not text in UTF-8'],
      ['text/plain', '\r'.repeat(300_000), 1, 'This file is empty.'],
      ['text/plain', '\uFEFF'.repeat(100_000), 1, 'This file is empty.'],
      ['text/plain', '#\r'.repeat(100_001), 100_001, 'A file can hold at most 100,000 lines.'],
      ['text/csv', `url${'\r'.repeat(100_001)}`, 100_001, 'A file can hold at most 100,000 lines.'],
      ['text/csv', `url\nhttps://a.example/\n${','.repeat(99_000)}`, 3, 'more cells than there are columns'],
      ['text/csv', ','.repeat(300_000), 1, 'The first line must name the columns'],
      ['text/csv', `${'url,'.repeat(20_000)}url`, 1, 'The column url appears twice.'],
      ['text/csv', '"'.repeat(300_000), 1, 'too long'],
      ['text/csv', manyRows('a\n').concat('a'), 5_002, 'A file can hold at most 5,000 entries.'],
      ['application/json', `{"format":[${'{},'.repeat(100_000)}{}]}`, 1, "isn't a ToolBox or Uptime Kuma file"],
      ['application/json', `{"format":${'1'.repeat(300_000)}}`, 1, "isn't a ToolBox or Uptime Kuma file"],
      ['application/json', `{"${'k'.repeat(300_000)}":1}`, 1, "isn't a ToolBox or Uptime Kuma file"],
      ['application/json', `{${'"format":1,'.repeat(1_001)}"a":1}`, 1, "isn't a ToolBox or Uptime Kuma file"],
      ['application/json', `{"a${'\\'.repeat(300_001)}`, 1, 'The file ends too early.'],
      ['application/json', '{"a":'.repeat(100_000), 1, 'This is nested too deeply.'],
      ['application/json', own(`"entries":[${'{},'.repeat(1_000_000)}{}]`), 1, 'at most 5,000 entries'],
      ['application/json', own(`"entries":[${newNames}{}]`), 1, "isn't a ToolBox or Uptime Kuma file"],
    ] as const) {
      box.pass(seconds(6))
      const answer = await importFile(text as string | Buffer, type)
      expect([answer.status, answer.body.refused], why).toEqual([400, [{ line, why: expect.stringContaining(why) }]])
    }
    for (const more of [
      `"x":[${'[],'.repeat(2_000)}1]`,
      `"headers":[${'{},'.repeat(200)}{}]`,
      `"days":[${'1,'.repeat(2_000)}1]`,
    ]) {
      const { body } = await importFile(own(`"entries":[${good},{"tool":"keepalive",${more}}]`), 'application/json')
      expect(body.refused, more.slice(0, 20)).toEqual([{ line: 1, at: 'entries[1]', why: 'This entry is too long.' }])
    }
    const unknown = Array.from({ length: 150 }, (_, index) => `"${'u'.repeat(500)}${index}":1`)
    const quoted = await importFile(own(`"entries":[{"tool":"keepalive",${unknown}}]`), 'application/json')
    expect(quoted.body.refused[0].why).toHaveLength(500)
    // The 90 days of history in an exported entry don't count.
    const days = Array.from({ length: 90 }, (_, n) => ({ day: `2026-01-${n}`, ok: n, fail: n }))
    const whole = own(`"entries":[${good.replace('}', `, "days":${JSON.stringify(days)} }`)}]`)
    expect((await importFile(whole, 'application/json', '?dry=true')).body).toMatchObject({ created: 1, refused: [] })
    expect(await list()).toEqual([])
  })

  test('accepts a body in any number of pieces, up to its limit', async () => {
    const { headers } = await createImportUser(box)
    const address = await box.app.listen({ port: 0, host: '127.0.0.1' })
    const send = async (pieces: Iterable<string>) => {
      const body = Readable.toWeb(Readable.from(pieces)) as ReadableStream
      const type = { ...headers, 'content-type': 'text/plain' }
      const answer = await fetch(`${address}/api/v1/user/import?dry=true`, {
        method: 'POST',
        headers: type,
        body,
        duplex: 'half',
      })
      return { status: answer.status, body: await answer.json() }
    }
    expect(await send('https://good.example/')).toMatchObject({ status: 200, body: { created: 1 } })
    const most = 20 * 1_024 * 1_024
    expect(await send(['#'.repeat(most), '#'])).toEqual({ status: 413, body: { error: 'The body is too large.' } })
  })
})
