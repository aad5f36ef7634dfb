import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dialects } from '../../test/support/database/databases.ts'
import { createSignedInPerson } from '../../test/support/people.ts'
import { adminScene } from '../../test/support/scenes/admin-scene.ts'
import { beforeCheck } from '../../test/support/scenes/before-check.ts'
import { minutes, seconds } from '../shared/time.ts'

const path = '/api/v1/admin/users/import'

describe.each(dialects)('a user import on %s', async (dialect) => {
  const { box, boss, newName, someone, read, row } = await adminScene(dialect)
  const send = async (text: string | Buffer, query = '', type = 'text/csv', by = boss) => {
    const answer = await box.app.inject({
      method: 'POST',
      url: `${path}?${query}`,
      headers: { 'content-type': type, 'x-xsrf-token': by.screen.jar.get('XSRF-TOKEN') },
      cookies: Object.fromEntries(by.screen.jar),
      payload: text,
    })
    return { status: answer.statusCode, body: answer.json() }
  }
  const preview = (text: string | Buffer) => send(text, 'dry=true')
  const audited = async (email: string) => {
    const log = box.db.q.selectFrom('audit').select('action').where('target', '=', email)
    return (await log.execute()).map(({ action }) => action)
  }

  test('creates and changes users as previewed, and reports unchanged rows', async () => {
    const existing = await someone({ roles: { Tools: 1 }, tags: ['Verified'] })
    const same = await someone({ roles: { Tools: 1 } })
    const fresh = `${newName()}@example.com`
    const file = [
      'email;Account Name;Username;Roles;Tags;Status;User ID',
      `${fresh.toUpperCase()};Ada;${fresh.split('@')[0]};Admin 1, Tools 2;verified, moderator;inactive;x`,
      `${existing.email};${existing.name};;Tools 2;–;;`,
      `${same.email};;;;;Active;`,
    ].join('\n')
    const report = {
      created: 1,
      changed: 1,
      same: 1,
      refused: [],
      lines: [
        { line: 2, outcome: 'created', what: fresh },
        {
          line: 3,
          outcome: 'changed',
          what: existing.email,
          why: 'Tags: Verified → none; Tools: Full Access → Admin Access',
        },
        { line: 4, outcome: 'same', what: same.email },
      ],
    }
    expect(await preview(file)).toEqual({ status: 200, body: report })
    expect((await row(existing.id)).roles).toContain('"Tools":1')
    expect(await send(file)).toEqual({ status: 200, body: report })
    expect(await read(fresh)).toMatchObject({
      name: 'Ada',
      status: 1,
      roles: { Admin: 1, Tools: 2 },
      tags: ['Verified', 'Moderator'],
      credUsername: fresh.split('@')[0],
      emailVerified: true,
    })
    expect(await read(existing.email)).toMatchObject({ name: existing.name, roles: { Tools: 2 }, tags: [], status: 2 })
    expect([await audited(fresh), await audited(existing.email)]).toEqual([['user.create'], ['user.edit']])
    expect((await send(file)).body).toMatchObject({ created: 0, changed: 0, same: 3 })
  })

  test('reports each invalid line, and imports the other lines only with skip', async () => {
    const existing = await someone({ username: `${newName()}u` })
    const good = `${newName()}@example.com`
    const file = [
      'email,name,username,roles,status,tags',
      `${good},Ada,,,,`,
      'nobody,Ada,,,,',
      ',Ada,,,,',
      `${newName()}@example.com,,,,,`,
      `${good},Grace,,,,`,
      `${newName()}@example.com,Ada,${existing.username},,,`,
      `${newName()}@example.com,Ada,,Chief 2,,`,
      `${newName()}@example.com,Ada,,,awake,`,
      `${newName()}@example.com,Ada,,,,Nice`,
      `${newName()}@example.com,Ada,,,,,more`,
      `${boss.email},,,Admin 1,,`,
      '\u212Aate@example.com,Kate,,,,',
    ].join('\r\n')
    const refused = [
      [3, 'Enter an email, such as ada@example.com.'],
      [4, 'Enter an email.'],
      [5, 'Enter a name.'],
      [6, 'The same email as on line 2.'],
      [7, 'This username is already in use.'],
      [8, 'Use roles such as Admin 2, Tools 1.'],
      [9, 'Use Active, Inactive or Blocked as the status.'],
      [10, 'Use only these tags: Verified, Admin, Moderator.'],
      [11, 'This row has more cells than there are columns.'],
      [12, expect.stringContaining('your own account')],
      [13, 'Enter an email, such as ada@example.com.'],
    ].map(([line, why]) => ({ line, why }))
    expect((await preview(file)).body).toMatchObject({ created: 1, refused })
    const whole = await send(file)
    expect(whole).toMatchObject({
      status: 400,
      body: { created: 0, error: expect.stringContaining('11 lines'), refused },
    })
    expect((await boss.screen.get(`/api/v1/admin/user?email=${good}`)).status).toBe(404)
    expect(await send(file, 'skip=true')).toMatchObject({ status: 200, body: { created: 1, refused } })
    expect((await read(good)).name).toBe('Ada')
  })

  test('is refused while another import of the same admin is running', async () => {
    const email = `${newName()}@example.com`
    const file = `email,name\n${email},Ada`
    const answers = await Promise.all([send(file), send(file)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429])
    const { body } = answers.find(({ status }) => status === 429)!
    expect(body).toEqual({ error: 'Another import is still running. Try again in a few seconds.' })
    expect(await audited(email)).toEqual(['user.create'])
    expect((await send('email\n"a')).status).toBe(400)
    expect(await send(file)).toMatchObject({ status: 200, body: { same: 1 } })
  })

  test('stops when its admin loses access, and reports each remaining line as refused', async () => {
    const existing = await someone({ roles: { Tools: 1 } })
    const emails = [1, 2, 3].map(() => `${newName()}@example.com`)
    const admin = await createSignedInPerson(box, { roles: { Admin: 2 } })
    beforeCheck(box.app, 2, () => boss.screen.patch('/api/v1/admin/user', { id: admin.id, status: 0 }))
    const file = ['email,name,tools', ...emails.map((email) => `${email},Ada,`), `${existing.email},,2`].join('\n')
    const { status, body } = await send(file, '', 'text/csv', admin)
    const refused = [3, 4, 5].map((line) => ({ line, why: 'You lost access before this was done.' }))
    expect({ status, body }).toMatchObject({ status: 200, body: { created: 1, changed: 0, refused } })
    expect(await Promise.all(emails.map(audited))).toEqual([['user.create'], [], []])
    expect((await row(existing.id)).roles).toContain('"Tools":1')
  })

  test('requires a recent proof to write, but not to preview', async () => {
    box.pass(minutes(11))
    const file = `email,name\n${newName()}@example.com,Ada`
    expect((await preview(file)).body).toMatchObject({ created: 1 })
    expect(await send(file)).toMatchObject({ status: 403, body: { reauthenticate: true } })
    await box.db.q.updateTable('sessions').set({ proved_at: box.now() }).where('user_id', '=', boss.id).execute()
    expect((await send(file)).body).toMatchObject({ created: 1 })
  })

  test.each([
    ['', 1, 'This file is empty.'],
    ['name\nAda', 1, 'The first line must name the columns, including email.'],
    ['email,phone\na@example.com,1', 1, 'There is no column phone.'],
    ['email,constructor\na@example.com,1', 1, 'There is no column constructor.'],
    ['email,email\na@example.com,b', 1, 'The column email appears twice.'],
    ['email', 1, 'There are no rows below the column names.'],
    ['email\n"a@example.com', 2, 'A quote is never closed.'],
    [Buffer.from([0x65, 0x0a, 0xff]), 2, 'This is not text in UTF-8.'],
  ])('rejects the file %j and names the line', async (text, line, why) => {
    const { status, body } = await send(text)
    expect([status, body.error]).toEqual([400, expect.stringContaining(`Line ${line}: ${why}`)])
  })

  test('rejects a body of another content type', async () => {
    const { status, body } = await send('{}', '', 'application/json')
    expect([status, body.error]).toEqual([415, 'Send the body as text/csv.'])
  })

  test('removes the quote that an export puts before names a spreadsheet would take for formulas', async () => {
    box.pass(minutes(1))
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^[=+\-@",;|a-z ]{1,20}$/), async (text) => {
        const name = text.trim()
        fc.pre(!['', '-'].includes(name))
        const email = `${newName()}@example.com`
        const harmless = /^[=+\-@]/.test(name) ? `'${name}` : name
        box.pass(seconds(6))
        const file = `email,name\n${email},"${harmless.replaceAll('"', '""')}"`
        expect((await send(file)).body).toMatchObject({ created: 1, refused: [] })
        expect((await read(email)).name).toBe(name)
      }),
      { numRuns: 15 },
    )
  })
})
