import { afterEach, expect, test, vi } from 'vitest'
import { hours, seconds } from '../../shared/time.ts'
import { hearTime, timeNow } from '../time-now.ts'
import { api } from './api.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  hearTime(new Date().toUTCString(), Date.now(), Date.now())
})

test("the clock follows the server's with each answer", async () => {
  const date = new Date(Date.now() + hours(3)).toUTCString()
  class Answering extends EventTarget {
    status = 200
    responseText = '{}'
    open() {}
    getResponseHeader = (name: string) => (name.toLowerCase() === 'date' ? date : null)
    send = () => void this.dispatchEvent(new Event('load'))
  }
  vi.stubGlobal('XMLHttpRequest', Answering)
  await api.get('/api/v1/user')
  expect(timeNow() - Date.now()).toBeGreaterThan(hours(3) - seconds(10))
})
