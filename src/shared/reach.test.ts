import { expect, test } from 'vitest'
import { reachOf } from './reach.ts'

test('a host tells from where it can be opened', () => {
  const computer = ['localhost:3000', '127.0.0.1', '[::1]:80', 'box.localhost']
  const network = ['192.168.1.4', '172.20.0.1', '10.0.0.1', '169.254.1.1', 'nas', 'box.local', '[fd00::1]', '[fe80::1]']
  const everywhere = ['example.com', '172.32.0.1', '8.8.8.8', '[2001:db8::1]', 'local.example']
  const reaches = (hosts: string[]) => new Set(hosts.map((host) => reachOf(`http://${host}/`)))
  expect([computer, network, everywhere].map(reaches)).toEqual([
    new Set(['computer']),
    new Set(['network']),
    new Set(['everywhere']),
  ])
})
