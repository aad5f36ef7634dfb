import { expect, test } from 'vitest'
import { networksOf } from './networks.ts'

test.each([
  ['192.0.2.77', ['192.0.2.77', '192.0.2.0/24']],
  ['::ffff:192.0.2.77', ['192.0.2.77', '192.0.2.0/24']],
  ['2001:db8:12:34ab:1:2:3:4', ['2001:db8:12:34ab::/64', '2001:db8:12:3400::/56', '2001:db8:12::/48']],
  ['::1', ['::/64', '::/56', '::/48']],
  ['no address', ['no address']],
])('%s belongs to %s', (address, networks) => {
  expect(networksOf(address)).toEqual(networks)
})
