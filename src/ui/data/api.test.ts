import { afterEach, expect, test, vi } from 'vitest'
import { hours, seconds } from '../../shared/time.ts'
import { timeNow, updateClockOffset } from '../time-now.ts'
import { api } from './api.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  updateClockOffset(new Date().toUTCString(), Date.now(), Date.now())
})

/** Responds to each call like a server whose clock is three hours ahead. */
function answerAhead(cacheControl: string) {
  const headers = new Map([
    ['date', new Date(Date.now() + hours(3)).toUTCString()],
    ['cache-control', cacheControl],
  ])
  class Answering extends EventTarget {
    status = 200
    responseText = '{}'
    open() {}
    getResponseHeader = (name: string) => headers.get(name.toLowerCase()) ?? null
    send = () => void this.dispatchEvent(new Event('load'))
  }
  vi.stubGlobal('XMLHttpRequest', Answering)
}

test("each response sets the clock to the server's", async () => {
  answerAhead('no-store, no-transform')
  await api.get('/api/v1/user')
  expect(timeNow() - Date.now()).toBeGreaterThan(hours(3) - seconds(10))
})

test('a file that may come from the browser cache does not change the clock', async () => {
  answerAhead('public, max-age=31536000, immutable')
  await api.get('/assets/part.js')
  expect(Math.abs(timeNow() - Date.now())).toBeLessThan(seconds(1))
})
