import { promisify } from 'node:util'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { dialects } from '../../test/support/database/databases.ts'
import { createImportUser, ownFile } from '../../test/support/scenes/import-scene.ts'
import { closeAfterwards, toolbox } from '../../test/support/toolbox.ts'
import { seconds } from '../shared/time.ts'

describe.each(dialects)('an import on %s', async (dialect) => {
  let slow: Promise<void> | undefined
  const lookups: string[] = []
  const late = Promise.withResolvers<void>()
  const resolve = async (name: string) => {
    lookups.push(name)
    if (name.endsWith('slow.example')) await slow
    if (name.endsWith('late.example')) {
      if (lookups.length === 100) {
        box.pass(seconds(11))
        late.resolve()
      }
      await late.promise
    }
    return ['93.184.215.14']
  }
  const box = closeAfterwards(await toolbox(dialect, {}, undefined, { resolve }))

  test('creates all its entries up to the limit of the user', async () => {
    const { importFile, list } = await createImportUser(box)
    const urls = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => `https://host${from + index}.example/`).join('\n')
    expect((await importFile(urls(0, 400), 'text/plain', '?dry=true')).body).toMatchObject({
      created: 400,
      refused: [],
    })
    expect((await importFile(urls(0, 400))).body).toMatchObject({ created: 400, refused: [] })
    expect(await list()).toHaveLength(400)
    const copied = ['tool', 'owner_id', 'status', 'settings', 'created_at', 'updated_at'] as const
    await box.db.q
      .insertInto('entry')
      .columns(['id', ...copied])
      .expression((eb) =>
        eb
          .selectFrom('entry')
          .select((of) => [sql<string>`${'copy of '} || ${of.ref('id')}`.as('id'), ...copied])
          .where('about', 'like', 'host%'),
      )
      .execute()
    const full = await importFile(`${urls(0, 200)}\n${urls(1_000, 1_210)}`, 'text/plain', '?skip=true')
    expect(full.body).toMatchObject({ created: 200, same: 200 })
    expect(full.body.refused).toHaveLength(10)
    expect(full.body.refused[0]).toEqual({ line: 401, why: "You've reached the limit of 1,000 entries." })
  })

  test('looks up hosts for at most ten seconds, and looks up the rest on the next attempt', async () => {
    const { importFile } = await createImportUser(box)
    const hosts = Array.from({ length: 150 }, (_, index) => `https://host${index}.late.example:25/`)
    const why = 'This took too long to look up. Try again to continue from here.'
    lookups.length = 0
    const preview = await importFile(hosts.join('\n'), 'text/plain', '?dry=true')
    const whys = (body: { refused: { why: string }[] }) =>
      Object.entries(Object.groupBy(body.refused, ({ why }) => why))
    const found = (body: typeof preview.body) => whys(body).map(([why, lines = []]) => [why, lines.length])
    // Before an entry is saved, its host is looked up only if its port is not allowed everywhere.
    expect([preview.status, found(preview.body)]).toEqual([
      200,
      [
        ['Port 25 is not allowed.', 100],
        [why, 50],
      ],
    ])
    const { status, headers, body } = await importFile(hosts.join('\n'))
    expect([status, headers['retry-after'], found(body)]).toEqual([400, undefined, [['Port 25 is not allowed.', 150]]])
  })

  test('blocks other imports until it has ended, even if its client disconnects', async () => {
    const { importFile, headers } = await createImportUser(box)
    const { promise, resolve } = Promise.withResolvers<void>()
    slow = promise
    const address = await box.app.listen({ port: 0, host: '127.0.0.1' })
    const call = new AbortController()
    const hungUp = fetch(`${address}/api/v1/user/import`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'text/plain' },
      body: 'https://is.slow.example:25/',
      signal: call.signal,
    })
    await expect.poll(() => lookups).toContain('is.slow.example')
    expect((await importFile('https://other.example/')).status).toBe(429)
    call.abort()
    await expect(hungUp).rejects.toThrow('aborted')
    const connections = () => promisify(box.app.server.getConnections).call(box.app.server)
    await expect.poll(connections).toBe(0)
    expect((await importFile('https://other.example/')).status).toBe(429)
    resolve()
    await expect.poll(async () => (await importFile('https://other.example/')).status).toBe(200)
    slow = undefined
  })

  test('reports positions in a file of one line, and does not count refused entries towards the limit', async () => {
    const { id: owner_id, importFile, list } = await createImportUser(box)
    const others = Array.from({ length: 998 }, (_, index) => ({ id: `${owner_id} ${index}`, owner_id }))
    const unread = { tool: 'herokudiscordwebhook', status: 0, settings: '{}', created_at: 0, updated_at: 0 } as const
    await box.db.q
      .insertInto('entry')
      .values(others.map((one) => ({ ...one, ...unread })))
      .execute()
    const page = (name: string) => ({ tool: 'ghmdinvalidator', url: `https://github.com/owner/${name}` })
    const named = { tool: 'x'.repeat(5_000), name: 'n'.repeat(5_000) }
    const entries = [named, page('a'), { ...page('b'), url: 'http://10.0.0.1/' }, page('a'), page('c'), page('d')]
    const { body } = await importFile(JSON.stringify(ownFile(...entries)), 'application/json', '?dry=true')
    expect(body).toMatchObject({
      created: 2,
      refused: [
        { at: 'entries[0]', why: `There is no tool "${'x'.repeat(39)}.` },
        { at: 'entries[2]', why: expect.stringContaining('github.com') },
        { line: 1, at: 'entries[5]', why: "You've reached the limit of 1,000 entries." },
      ],
    })
    expect(body.lines[0].what).toHaveLength(200)
    expect(body.lines[3]).toMatchObject({ outcome: 'same', why: 'The same as entries[1].' })
    const two = JSON.stringify(ownFile(page('a'), { tool: 'toaster' }))
    expect((await importFile(two, 'application/json')).body.error).toBe('entries[1]: There is no tool "toaster".')
    expect(await list('ghmdinvalidator')).toEqual([])
  })
})
