import { expect, test } from 'vitest'
import { reachOf } from './reach.ts'

test('determines from the host where a URL can be opened', () => {
  const computer = ['localhost:3000', '127.0.0.1', '[::1]:80', 'box.localhost']
  const addresses = ['192.168.1.4', '172.16.0.1', '172.20.0.1', '172.31.0.1', '10.0.0.1', '169.254.1.1']
  const names = ['nas', 'box.local', 'box.lan', 'box.internal', 'box.home.arpa']
  const network = [...addresses, ...names, '[fc00::1]', '[fd00::1]', '[fe80::1]']
  const adjacent = ['172.15.0.1', '172.32.0.1', '192.169.1.1', '11.0.0.1', '128.0.0.1', '169.255.1.1']
  const everywhere = ['example.com', '8.8.8.8', '[2001:db8::1]', 'local.example', 'localhost.example', ...adjacent]
  const reaches = (hosts: string[]) => new Set(hosts.map((host) => reachOf(`http://${host}/`)))
  expect([computer, network, everywhere].map(reaches)).toEqual([
    new Set(['computer']),
    new Set(['network']),
    new Set(['everywhere']),
  ])
})
