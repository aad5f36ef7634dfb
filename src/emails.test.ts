import { expect, test } from 'vitest'
import { fakeSmtp } from '../test/support/fakes/fake-smtp.ts'
import { createSignedInPerson } from '../test/support/people.ts'
import { closeAfterwards, toolbox } from '../test/support/toolbox.ts'
import { identityOf } from './sign-in/providers/openid.ts'

const [typed, stored] = ['R&D@Пример.рф', 'r&d@xn--e1afmkfd.xn--p1ai']
const query = `?email=${encodeURIComponent(typed)}`

const smtp = closeAfterwards(await fakeSmtp())
const box = closeAfterwards(await toolbox('sqlite', smtp.env))
const boss = await createSignedInPerson(box, { username: 'boss', roles: { Admin: 2, Tools: 2 } })

test('every call accepts an email with RFC 5322 characters and an IDN host, and stores it in one form', async () => {
  const { screen } = boss
  const user = { email: typed, name: 'Research', roles: { Tools: 1 } }
  expect(await screen.post('/api/v1/admin/user', user)).toMatchObject({ status: 201, body: { email: stored } })
  expect((await screen.post('/api/v1/admin/user', { ...user, email: stored })).status).toBe(409)
  expect((await screen.get(`/api/v1/admin/user/emailexistcheck${query}`)).body).toEqual({ exists: true })
  expect((await screen.get(`/api/v1/admin/user${query}`)).body).toMatchObject({ email: stored })
  const entry = await screen.post('/api/v1/keepalive/', { url: 'http://127.0.0.1:9/', owner: typed })
  expect(entry).toMatchObject({ status: 201, body: { owner: stored } })
  const claim = await screen.post('/api/v1/analyticsbadge/research/claim', { owner: ` ${typed} ` })
  expect(claim).toMatchObject({ status: 201, body: { owner: stored } })
})

test('mail to such an address has its host in ASCII', async () => {
  const { screen } = boss
  expect((await screen.post('/api/v1/admin/invites', { roles: {}, email: typed })).status).toBe(201)
  const channel = await screen.post('/api/v1/user/channels', { type: 'email', settings: { to: typed } })
  expect(channel).toMatchObject({ status: 201, body: { settings: { to: typed } } })
  await box.work.runDue()
  expect(smtp.mails.map(({ to }) => to[0]?.toLowerCase())).toEqual([stored, stored])
})

test('such an address from a sign-in provider is converted to the same form', () => {
  const claims = { email: typed, email_verified: true }
  expect(identityOf('s', 'https://id.example.com', claims).email).toEqual({ address: stored, verified: true })
})
