import type { AccessRequest } from '../../../src/admission/access/contract.ts'
import { inTurn, mockJson, openDialog, press, type Shot, shot } from '../shot.ts'

const day = 86_400_000
const own = (state: string, nextAt: number | null) =>
  mockJson('/api/v1/user/access-request', { at: Date.now() - day / 2, state, nextAt })
const longest = 'I would like to keep a few small applications of our students awake during the day, '
  .repeat(4)
  .slice(0, 300)
const waiting: AccessRequest[] = Array.from({ length: 23 }, (_, n) => ({
  id: `user-${n}`,
  name: n === 1 ? 'Layla bint Abd al-Rahman al-Andalusi al-Qurtubi, Mathematics' : `Person ${n}`,
  email:
    n === 1
      ? `${'a-rather-long-address.'.repeat(8)}@mathematics.university-of-cordoba.example.com`
      : `p${n}@example.com`,
  emailVerified: n !== 3,
  message: n === 1 ? longest : n % 3 === 0 ? 'For the apps of our team' : null,
  at: Date.now() - n * 3_700_000,
  kind: n % 2 === 0 ? 'request' : 'sign-up',
}))
const mockAccessRequests = (some: readonly AccessRequest[]) =>
  mockJson('/api/v1/admin/access-requests*', { rows: some, total: some.length })
const signedUp = (state: string) =>
  inTurn(
    (page) => page.addInitScript("document.cookie = 'toolbox.waiting=x; Path=/'"),
    mockJson('/api/v1/auth/access', { state }),
  )
const denied = '/auth/error?error=AccessDenied'

export const accessShots: readonly Shot[] = [
  shot('access-asked', 'grace', '/', 'You asked for access', { before: own('open', Date.now() + day / 2) }),
  shot('access-declined', 'grace', '/', 'has declined', { before: own('declined', Date.now() + day / 2) }),
  shot('access-ask', 'grace', '/', 'Request access', { act: openDialog('Request access'), window: true }),
  shot('access-denied', 'grace', '/tools/keepalive', 'Request access'),
  shot('access-waiting', 'nobody', denied, 'Waiting for approval', { before: signedUp('pending') }),
  shot('access-waiting-over', 'nobody', denied, 'No longer waiting', { before: signedUp('none') }),
  shot('users-waiting-one', 'ada', '/admin/users', 'Waiting', { before: mockAccessRequests(waiting.slice(0, 1)) }),
  shot('users-waiting-many', 'ada', '/admin/users', 'Review', { before: mockAccessRequests(waiting) }),
  shot('users-waiting', 'ada', '/admin/users', 'Review', { before: mockAccessRequests(waiting), act: press('Review') }),
  shot('users-waiting-selected', 'ada', '/admin/users', 'Review', {
    before: mockAccessRequests(waiting),
    act: inTurn(press('Review'), (page) => page.getByRole('checkbox', { name: 'Select everyone waiting' }).check()),
    window: true,
  }),
]
