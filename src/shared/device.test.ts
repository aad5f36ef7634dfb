import { describe, expect, it } from 'vitest'
import { deviceOf } from './device.ts'

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const apple = 'AppleWebKit/605.1.15 (KHTML, like Gecko)'

describe('names a device after its browser and operating system', () => {
  it.each([
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/142.0.0.0 Safari/537.36`, 'Chrome on Windows'],
    [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} HeadlessChrome/142.0.0.0 Safari/537.36`, 'Chrome on Linux'],
    [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webkit} Chrome/142.0.0.0 Safari/537.36`, 'Chrome on ChromeOS'],
    [`Mozilla/5.0 (Windows NT 10.0) ${webkit} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`, 'Edge on Windows'],
    [`Mozilla/5.0 (Windows NT 10.0) ${webkit} Chrome/142.0.0.0 Safari/537.36 OPR/125.0.0.0`, 'Opera on Windows'],
    [
      `Mozilla/5.0 (Linux; Android 16; SM-S936B) ${webkit} SamsungBrowser/29.0 Chrome/136.0 Mobile Safari/537.36`,
      'Samsung Internet on Android',
    ],
    ['Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox on Linux'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox on macOS'],
    [`Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) ${apple} FxiOS/145.0 Mobile/15E148`, 'Firefox on iPhone'],
    [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${apple} Version/19.1 Safari/605.1.15`, 'Safari on macOS'],
    [
      `Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) ${apple} Version/19.1 Mobile/15E148 Safari/604.1`,
      'Safari on iPhone',
    ],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) SomethingNew/1.0', 'A browser on macOS'],
  ])('%s', (userAgent, name) => {
    expect(deviceOf(userAgent).name).toBe(name)
  })
})

it('names a program by the first word of its user agent', () => {
  expect(deviceOf('curl/8.16.0')).toEqual({ name: 'curl', kind: 'program' })
  expect(deviceOf(`${'x'.repeat(200)}/1`).name).toBe('x'.repeat(40))
})
it('returns Unknown device for a missing or unusable user agent', () => {
  expect(deviceOf(null).name).toBe('Unknown device')
  expect(deviceOf(' ').name).toBe('Unknown device')
  expect(deviceOf('/1.0').name).toBe('Unknown device')
})
it('distinguishes mobile devices from computers', () => {
  expect(deviceOf(`Mozilla/5.0 (iPad; CPU OS 19_1) ${apple} Version/19.1 Mobile/15E148 Safari/604.1`).kind).toBe(
    'pocket',
  )
  expect(deviceOf('Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0').kind).toBe('computer')
})
