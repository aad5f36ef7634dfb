import { describe, expect, test } from 'vitest'
import type { CheckResult } from '../../platform/check-result.ts'
import { days, minutes } from '../../shared/time.ts'
import { checkAddress, checkEncryption, checkProxy } from './address.ts'
import { checkDatabase } from './database.ts'
import { checkNetwork, checkSecret, checkWork } from './operation.ts'
import { checkAdmins, checkChannels, checkSignUp } from './people.ts'

const states = (findings: readonly CheckResult[]) => findings.map(({ state }) => state).join(' ')
const now = Date.UTC(2026, 0, 5)

describe('the address', () => {
  const at = (baseUrl: string, isAddressed = true) => [
    checkAddress({ baseUrl, isAddressed }).state,
    checkEncryption({ baseUrl }).state,
  ]

  test('is ok only if it is public and uses https', () => {
    expect(at('https://toolbox.example.com')).toEqual(['ok', 'ok'])
    expect(at('http://toolbox.example.com')).toEqual(['ok', 'problem'])
    expect(at('http://192.168.1.4:3000')).toEqual(['warning', 'problem'])
    expect(at('http://localhost:3000', false)).toEqual(['warning', 'ok'])
  })

  test('mentions BASE_URL only if it is not set', () => {
    const words = [true, false].map((isAddressed) => checkAddress({ baseUrl: 'http://localhost:1', isAddressed }).what)
    expect(words.map((what) => what.includes("BASE_URL isn't set"))).toEqual([false, true])
  })
})

test('a proxy must be trusted if there is one, and only then', () => {
  const findingFor = (trustProxy: false | number, isForwarded: boolean, address = '10.0.0.2') =>
    checkProxy({ trustProxy }, { isForwarded, peer: '10.0.0.2', address })
  expect(states([findingFor(false, false), findingFor(1, true, '192.0.2.1')])).toBe('ok ok')
  expect(findingFor(false, true).what).toContain("a proxy that isn't trusted")
  expect(findingFor(1, false).what).toContain('did not come through a proxy')
  expect(findingFor(1, true).what).toContain("which TRUST_PROXY doesn't include")
})

test('warns about a secret that no backup contains, and about a previous one that is still set', () => {
  const secret = { dataDir: '/data', isSecretKept: true, previousAppSecret: undefined, backupPassphrase: undefined }
  expect(states(checkSecret({ ...secret, isSecretKept: false }))).toBe('ok')
  expect(states(checkSecret({ ...secret, backupPassphrase: 'a passphrase' }))).toBe('ok')
  expect(checkSecret(secret)).toMatchObject([{ state: 'warning', what: expect.stringContaining('/data/app-secret') }])
  expect(states(checkSecret({ ...secret, isSecretKept: false, previousAppSecret: 'before' }))).toBe('ok warning')
})

test('reports being offline as a problem, and access to cloud credentials as a warning', () => {
  const ranges = (...allowPrivateCidrs: string[]) => states(checkNetwork({ isOffline: false, allowPrivateCidrs }))
  // There is no finding that hosts can be reached, since that is only known after a run.
  expect([ranges(), ranges('10.0.0.0/8', 'fd00::/8'), ranges('169.254.0.0/16')]).toEqual(['ok', 'ok', 'warning'])
  expect(states(checkNetwork({ isOffline: true, allowPrivateCidrs: [] }))).toBe('problem ok')
})

type Half = Parameters<typeof checkSignUp>[0]['halfProviders']

test('reports who can sign up, and providers that are only half configured', () => {
  const words = (signUp: 'open' | 'approval' | 'closed', ...providers: string[]) =>
    checkSignUp({ signUp, signUpTools: 0, providers, halfProviders: [] })[0]?.what
  expect(words('open', 'Discord', 'GitHub')).toBe('Anyone can sign up with Discord or GitHub (SIGN_UP is open).')
  expect(words('open', 'Discord', 'GitHub', 'Example Login')).toContain('Discord, GitHub, or Example Login (')
  expect(words('approval', 'GitHub')).toContain('an admin approves')
  for (const what of [words('closed', 'GitHub'), words('open')])
    expect(what).toMatch(/^Only people with an invitation can/)
  const open = { signUp: 'open', signUpTools: 1, providers: ['GitHub'], halfProviders: [] as Half } as const
  expect(states([...checkSignUp(open), ...checkSignUp({ ...open, signUp: 'approval' })])).toBe('warning ok')
  expect(
    states(checkSignUp({ ...open, providers: [], halfProviders: [{ name: 'GitHub', unset: ['GITHUB_CLIENT_ID'] }] })),
  ).toBe('ok warning')
})

describe('admins', () => {
  const admin = (name: string, more = {}) => ({ name, isFull: true, lastUsedAt: now, hasOnlyPassword: false, ...more })

  test('are ok if there are two, both active and with a second step', () => {
    expect(states(checkAdmins([admin('ada'), admin('bob')], now))).toBe('ok ok ok')
  })

  test('are named in warnings', () => {
    const amiss = [
      admin('ada', { hasOnlyPassword: true }),
      admin('bob', { isFull: false, lastUsedAt: null, hasOnlyPassword: true }),
      admin('cid', { isFull: false, lastUsedAt: now - days(91) }),
    ]
    expect(checkAdmins(amiss, now).map(({ what }) => what)).toEqual([
      expect.stringContaining('Only one user has the role Admin 2'),
      "bob and cid haven't been active within the last 90 days.",
      'ada and bob can sign in with a password alone.',
    ])
    const many = 'abcdefgh'.split('').map((name) => admin(name, { hasOnlyPassword: true }))
    expect(checkAdmins(many, now)[2]?.what).toBe('a, b, c, d, e and 3 others can sign in with a password alone.')
  })
})

describe('the database', () => {
  const gigabyte = 1_000_000_000
  const small = { isShared: false, used: 2_000_000, free: 50 * gigabyte, sizes: [], failing: undefined, now }
  const what = (more: object) => checkDatabase({ ...small, ...more }).map((finding) => finding.what)

  test('is reported with its size and growth', () => {
    const sizes = [{ at: now - days(2), bytes: 1_000_000 }]
    expect(what({})[0]).toBe('The database is SQLite and uses 2.0 MB.')
    expect(what({ sizes })[0]).toBe('The database is SQLite and uses 2.0 MB, and grows by 500.0 kB a day.')
    expect(what({ sizes: [{ at: now - days(2), bytes: 2_000_000 }] })[0]).toContain('is not growing')
    expect(what({ isShared: true, free: undefined })).toEqual(['The database is PostgreSQL and uses 2.0 MB.'])
  })

  test('needs free space, also for its expected growth', () => {
    const state = (more: object) => checkDatabase({ ...small, ...more }).map((finding) => finding.state)
    const sizes = [{ at: now - days(10), bytes: 0 }]
    expect(state({})).toEqual(['ok', 'ok'])
    expect(state({ used: 20 * gigabyte, sizes })).toEqual(['ok', 'warning'])
    expect(state({ free: gigabyte / 2 })).toEqual(['ok', 'warning'])
    expect(state({ free: gigabyte / 20 })).toEqual(['ok', 'problem'])
    expect(state({ failing: 'full' })).toEqual(['problem', 'ok'])
  })
})

test('reports work that starts late or has stopped', () => {
  const calm = { due: 3, late: 0, oldest: 0, inFlight: 1, standstill: undefined }
  expect(checkWork(calm)).toEqual([
    { state: 'ok', what: 'Runs and deliveries start on time: 3 due, 0 of them late, 1 in flight.' },
  ])
  expect(checkWork({ ...calm, late: 2, oldest: minutes(3) })[0]).toMatchObject({
    state: 'warning',
    what: expect.stringContaining('for 3 min'),
  })
  expect(states(checkWork({ ...calm, standstill: 'worker' }))).toBe('problem ok')
})

test('names failing channels with their owners', () => {
  expect(checkChannels([]).state).toBe('ok')
  const failing = 'abcde'.split('').map((owner) => ({ owner, type: 'Discord' }))
  expect(checkChannels(failing).what).toBe(
    '5 channels are failing: Discord of a, Discord of b, Discord of c and 2 more.',
  )
  expect(checkChannels(failing.slice(0, 1)).what).toBe('1 channel is failing: Discord of a.')
})
