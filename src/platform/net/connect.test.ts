import { type AddressInfo, createServer } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  authority,
  expiredCertificate,
  goodCertificate,
  leafKey,
  selfSignedCertificate,
} from '../../../test/support/fakes/certificates.ts'
import { fakeWeb, startTlsAlertServer } from '../../../test/support/fakes/fake-web.ts'
import { outcomeOf, testOutbound } from '../../../test/support/outbound-client.ts'

const timeout = 60_000

describe('Over TLS', () => {
  beforeAll(() => setDefaultCACertificates([...getCACertificates('default'), authority]))

  const noteWith = async (cert: string, host: string) => {
    const safe = await fakeWeb({ tls: { key: leafKey, cert } })
    const note = await outcomeOf(`https://${host}:${safe.port}/echo`, { resolve: async () => ['127.0.0.1'] })
    await safe.close()
    return note
  }

  test('a good certificate is accepted for its name and its address', async () => {
    expect(await noteWith(goodCertificate, 'web.test')).toBe('answered 200')
    expect(await noteWith(goodCertificate, 'web.test.')).toBe('answered 200')
    expect(await noteWith(goodCertificate, '127.0.0.1')).toBe('answered 200')
  })

  test("a response includes the expiry of the first URL's certificate on request", async () => {
    const safe = await fakeWeb({ tls: { key: leafKey, cert: goodCertificate } })
    const plain = await fakeWeb()
    const client = testOutbound({ resolve: async () => ['127.0.0.1'] })
    const ask = (url: string, options = {}) => client.request(url, { timeout, redirects: 1, ...options })
    const reportsCertificate = true
    const at = `https://web.test:${safe.port}`
    const certified = { status: 200, certifiedUntil: Date.UTC(2120, 0, 1) }
    expect(await ask(`${at}/echo`, { reportsCertificate })).toMatchObject(certified)
    expect(await ask(`${at}/to?url=${plain.origin}/echo`, { reportsCertificate })).toMatchObject(certified)
    expect(await ask(`${plain.origin}/to?url=${at}/echo`, { reportsCertificate })).not.toHaveProperty('certifiedUntil')
    expect(await ask(`${at}/echo`)).not.toHaveProperty('certifiedUntil')
    await Promise.all([safe.close(), plain.close()])
  })

  test('a bad certificate fails with its reason', async () => {
    expect(await noteWith(expiredCertificate, 'web.test')).toBe('tls | tls: certificate expired')
    expect(await noteWith(selfSignedCertificate, 'web.test')).toBe('tls | tls: self-signed certificate')
    expect(await noteWith(goodCertificate, 'other.test')).toBe('tls | tls: certificate for another name')
  })

  // 200 is not a defined alert.
  test.each([0, 10, 20, 40, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 70, 71, 80, 86, 90, 109, 110, 112, 116, 120, 200])(
    'alert %i is a failure of the server that sends it, not ours',
    async (alert) => {
      const refusing = await startTlsAlertServer(alert)
      const note = await outcomeOf(refusing.origin)
      expect(note).toMatch(/^tls \| tls: [a-z ,]+$/)
      expect(note.includes('client certificate')).toBe(alert === 40 || alert === 116)
      refusing.close()
    },
  )

  test.each([
    ['TLSv1.3', 'tls | tls: a client certificate is required'],
    ['TLSv1.2', 'tls | tls: handshake refused, perhaps because a client certificate is required'],
  ] as const)('a missing client certificate is reported over %s', async (version, note) => {
    const versions = { minVersion: version, maxVersion: version }
    const tls = { key: leafKey, cert: goodCertificate, requestCert: true, rejectUnauthorized: true, ...versions }
    const safe = await fakeWeb({ tls })
    expect(await outcomeOf(`https://web.test:${safe.port}/echo`, { resolve: async () => ['127.0.0.1'] })).toBe(note)
    await safe.close()
  })

  test('a server without TLS and a silent server fail with different notes', async () => {
    const plain = await fakeWeb()
    expect(await outcomeOf(`https://127.0.0.1:${plain.port}/`)).toBe('tls | tls: handshake failed')
    await plain.close()
    const silent = createServer(() => undefined)
    await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening))
    const { port } = silent.address() as AddressInfo
    expect(await outcomeOf(`https://127.0.0.1:${port}/`, {}, { timeout: 150 })).toBe('timeout | timeout after 0.15 s')
    silent.close()
  })
})
