import { describe, expect, test, vi } from 'vitest'
import { dialects } from '../../test/support/database/databases.ts'
import { browser, createPerson, createSignedInPerson, password } from '../../test/support/people.ts'
import { closeAfterwards, toolbox } from '../../test/support/toolbox.ts'
import { seconds } from '../shared/time.ts'
import { changeMessage } from './account-changes.ts'

describe.each(dialects)('the inbox on %s', async (dialect) => {
  const box = closeAfterwards(await toolbox(dialect))

  /** The user's notices, newest first. Passes enough time that the next notice becomes another item. */
  const messagesTo = async (userId: string) => {
    box.pass(seconds(10))
    const query = box.db.q.selectFrom('notification').select(['item', 'quiet', 'message']).where('user_id', '=', userId)
    const rows = await query.orderBy('issued_at', 'desc').execute()
    expect(rows.every(({ item, quiet }) => item === 'account' && quiet === 1)).toBe(true)
    return rows.map(({ message }) => message)
  }

  test('reports a sign-in from a new device or network, but not the first sign-in', async () => {
    const { id } = await createPerson(box.context, { username: `ada-${dialect}` })
    const from = async (address: string) =>
      expect((await browser(box.app, address).signIn(`ada-${dialect}`)).status).toBe(200)
    await from('203.0.113.7')
    await from('203.0.113.8')
    expect(await messagesTo(id)).toEqual([])
    await from('198.51.100.1')
    await from('198.51.100.2')
    expect(await messagesTo(id)).toEqual(['New sign-in: “lightMyRequest”, 198.51.100.0/24.'])
  })

  test('reports a new password, API key or email, and who changed it', async () => {
    const ada = await createSignedInPerson(box, { username: `eve-${dialect}` })
    const boss = await createSignedInPerson(box, { roles: { Admin: 2 } })
    const publish = vi.spyOn(box.context.events, 'publish')
    const isHeard = () => {
      const published = publish.mock.calls.flat(2)
      publish.mockClear()
      return published.some(({ type, to }) => type === 'inbox' && 'userId' in to && to.userId === ada.id)
    }
    const next = 'eleven purple kettles'
    expect((await ada.screen.patch('/api/v1/user/password', { current: password, password: next })).status).toBe(200)
    expect(await messagesTo(ada.id)).toEqual(['Your password was changed from “lightMyRequest”.'])
    expect(isHeard()).toBe(true)
    const key = { name: 'deploy', scopes: ['read'], expiresAt: null }
    expect((await ada.screen.post('/api/v1/user/apikeys', key)).status).toBe(201)
    expect((await messagesTo(ada.id))[0]).toBe('The API key “deploy” was created from “lightMyRequest”.')
    expect(isHeard()).toBe(true)
    const body = { id: ada.id, password: 'twelve purple kettles' }
    expect((await boss.screen.patch('/api/v1/admin/user/password', body)).status).toBe(200)
    expect((await messagesTo(ada.id))[0]).toBe('Your password was changed by an admin.')
    expect(isHeard()).toBe(true)
    expect((await boss.screen.patch('/api/v1/admin/user', { id: ada.id, name: 'Eva' })).status).toBe(200)
    expect(
      (await boss.screen.patch('/api/v1/admin/user', { id: ada.id, email: `eva-${dialect}@example.com` })).status,
    ).toBe(200)
    expect(await messagesTo(ada.id)).toHaveLength(4)
    expect((await messagesTo(ada.id))[0]).toBe('Your sign-in methods were changed by an admin.')
    expect(isHeard()).toBe(true)
    expect(await messagesTo(boss.id)).toEqual([])
  })
})

test('each change of sign-in methods has its own sentence', () => {
  const actor = { id: 'u', name: 'ada@example.com', address: '192.0.2.1', device: 'Firefox on Linux' }
  const link = (to: string) =>
    changeMessage({ actor, action: 'provider.link', changes: [{ field: 'providers', from: null, to }] }, 'u')
  expect(link('001_Discord ada')).toBe('“Discord ada” was linked to your account from “Firefox on Linux”.')
  expect(link('004_OIDC ada')).toMatch(/^“OpenID ada” was linked/)
  const changes = [{ field: 'providers', from: '002_Github ada', to: null }]
  const unlink = changeMessage({ actor: { ...actor, device: null }, action: 'provider.unlink', changes }, 'u')
  expect(unlink).toBe('“Github ada” was unlinked from your account.')
  const reset = changeMessage({ actor: { ...actor, id: null }, action: 'factor.reset' }, 'u')
  expect(reset).toBe('Two-step sign-in was reset by an admin.')
  expect(changeMessage({ actor, action: 'session.start' }, 'u')).toBeUndefined()
})
