import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressCheck, isPublic, plainAddress } from './address.ts'

const privateAddresses = [
  ['this network', '0.0.0.0', '0.1.2.3'],
  ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ['carrier NAT and its metadata', '100.64.0.1', '100.127.255.255', '100.100.100.200'],
  ['loopback', '127.0.0.1', '127.255.255.255', '::1'],
  ['link-local and metadata', '169.254.169.254', '169.254.170.2', 'fe80::1', 'fe80::1%eth0', 'fd00:ec2::254'],
  ['the inside of a cloud machine', '168.63.129.16', '192.0.0.192'],
  ['documentation', '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1', '3fff:fff::1'],
  ['benchmarking', '198.18.0.1', '198.19.255.255', '2001:2::1'],
  ['multicast', '224.0.0.1', '239.255.255.255', 'ff02::1'],
  ['reserved and broadcast', '240.0.0.1', '255.255.255.255'],
  ['unspecified and compatible', '::', '::7f00:1', '::8.8.8.8', '::127.0.0.1'],
  ['mapped', '::ffff:127.0.0.1', '::ffff:7f00:1', '::FFFF:10.0.0.1', '::ffff:a9fe:a9fe', '::ffff:0:127.0.0.1'],
  ['NAT64', '64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::1'],
  ['6to4', '2002:7f00:1::1', '2002:0808:0808::1'],
  ['Teredo and ORCHID', '2001::1', '2001:0:4136:e378::1', '2001:10::1', '2001:20::1'],
  ['unique local, site local, discard', 'fc00::1', 'fdff::1', 'fec0::1', '100::1'],
  ['segment routing and the unassigned rest', '5f00::1', '4000::1', 'e000::1'],
  ['not an address', '', 'example.com', '1.2.3', '127.1', '0x7f.0.0.1', '1.2.3.4.5', '8.8.8.8 ', '2606:4700:::1'],
] satisfies [string, ...string[]][]

describe('an address', () => {
  test.each(privateAddresses)('is not public when it is %s', (_, ...addresses) => {
    expect(addresses.filter(isPublic)).toEqual([])
  })

  test('is public when it is globally routable', () => {
    const ipv4 = ['8.8.8.8', '1.1.1.1', '100.63.255.255', '100.128.0.1', '172.32.0.1', '192.0.3.1', '223.255.255.255']
    const six = [
      '2606:4700::1111',
      '2001:4860:4860::8888',
      '2001:200::1',
      '2a00:1450::1',
      '3fff:1000::1',
      '::ffff:8.8.8.8',
    ]
    expect([...ipv4, ...six].filter((address) => !isPublic(address))).toEqual([])
  })

  const octet = fc.integer({ min: 0, max: 255 })
  const four = fc.tuple(octet, octet, octet, octet)
  const hex = (high: number, low: number) => (high * 256 + low).toString(16)

  test('gets the same result in every IPv4-mapped IPv6 form', () => {
    fc.assert(
      fc.property(four, ([a, b, c, d]) => {
        const plain = `${a}.${b}.${c}.${d}`
        const forms = [`::ffff:${plain}`, `::ffff:${hex(a, b)}:${hex(c, d)}`, `[::ffff:${hex(a, b)}:${hex(c, d)}]`]
        expect(forms.map(plainAddress)).toEqual([plain, plain, plain])
        expect(forms.map(isPublic)).toEqual(forms.map(() => isPublic(plain)))
      }),
    )
  })

  test('that embeds an IPv4 address for a gateway is never public', () => {
    fc.assert(
      fc.property(four, ([a, b, c, d]) => {
        const tail = `${hex(a, b)}:${hex(c, d)}`
        for (const form of [
          `64:ff9b::${tail}`,
          `64:ff9b:1::${tail}`,
          `2002:${tail}::1`,
          `::${tail}`,
          `2001:0:${tail}::1`,
        ])
          expect(isPublic(form)).toBe(false)
      }),
    )
  })
})

describe('the gate', () => {
  const none = addressCheck([])
  const some = addressCheck(['127.0.0.0/8', '10.1.0.0/16', 'fd00::/8', '192.168.7.7'])

  test('refuses blocked ports on public addresses and allows other ports', () => {
    expect([25, 22, 6667, 0, 10080].map((port) => none('8.8.8.8', port))).toEqual(Array(5).fill('port'))
    expect([80, 443, 3000, 8080, 65535].map((port) => none('8.8.8.8', port))).toEqual(Array(5).fill(undefined))
  })

  test("allows the operator's ranges on every port, also as mapped addresses", () => {
    const allowed = ['127.0.0.1', '127.9.9.9', '10.1.2.3', 'fd12::1', '192.168.7.7', '::ffff:127.0.0.1']
    expect(allowed.flatMap((address) => [some(address, 80), some(address, 25)]).filter(Boolean)).toEqual([])
  })

  test("still refuses addresses next to the operator's ranges", () => {
    const refused = ['10.2.0.1', '192.168.7.8', '::1', 'fe80::1', '169.254.169.254', '64:ff9b::7f00:1', '2002:7f00:1::']
    expect(refused.map((address) => some(address, 80))).toEqual(refused.map(() => 'address'))
    expect(some('8.8.8.8', 25)).toBe('port')
  })
})
