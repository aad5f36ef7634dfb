import { expect, test } from 'vitest'
import { hours, minutes, seconds } from '../../shared/time.ts'
import { cidrs, duration, proxies } from './values.ts'

test.each([
  ['500ms', 500],
  ['90s', seconds(90)],
  ['28m', minutes(28)],
  ['12h', hours(12)],
  ['7d', hours(168)],
])('parses the duration %s as %d ms', (text, expected) => {
  expect(duration.parse(text)).toBe(expected)
})

test.each(['0s', '-1m', '5', 'm', '1.5h', '5 m', '9999d'])('rejects %s as a duration', (text) => {
  expect(duration.safeParse(text).error?.issues).toHaveLength(1)
})

test('parses proxies as a hop count or address ranges', () => {
  expect(proxies.parse('2')).toBe(2)
  expect(proxies.parse('0')).toBe(false)
  expect(proxies.parse('10.0.0.0/8, ::1')).toEqual(['10.0.0.0/8', '::1/128'])
  expect(proxies.parse('0.0.0.0/0,::/0')).toEqual(['0.0.0.0/0', '::/0'])
})

test.each([
  '10/8',
  '0x7f.0.0.0/8',
  '10.0.0.0/33',
  '::1/129',
  'fe80::1%1/64',
  '10.0.0.0/8/8',
  '10.0.0.0/',
  'example.com',
])('rejects %s as an address range', (text) => {
  expect(() => cidrs.parse(text)).toThrow('address range')
})

test('parses a single address as a range of one', () => {
  expect(cidrs.parse('10.1.2.3, ::1, fd00::/8')).toEqual(['10.1.2.3/32', '::1/128', 'fd00::/8'])
})
