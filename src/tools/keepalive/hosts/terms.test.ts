import { expect, test } from 'vitest'
import { minutes } from '../../../shared/time.ts'
import { appOf, hostOf, intervalByHost, recommendedInterval, sleepsBetween } from './terms.ts'

test.each([
  ['https://app.herokuapp.com', 'heroku'],
  ['https://shop-1a2b3c.onrender.com/health?full=1', 'render'],
  ['https://app-org.koyeb.app/', 'koyeb'],
  ['https://app.up.railway.app/', 'railway'],
  ['https://app.fly.dev', 'fly'],
  ['https://user-space.hf.space/', 'huggingface'],
  ['https://demo.streamlit.app', 'streamlit'],
  ['https://abcdefgh.supabase.co/rest/v1/table', 'supabase'],
  ['https://ada.pythonanywhere.com/', 'pythonanywhere'],
  ['https://ada.eu.pythonanywhere.com/', 'pythonanywhere'],
  ['https://project.glitch.me', 'glitch'],
  ['https://app.replit.app', 'replit'],
  ['https://app.blitz.cloud', 'blitz'],
  ['https://app.azurewebsites.net', 'azure'],
  ['https://app.vercel.app', 'vercel'],
  ['https://app.netlify.app', 'netlify'],
  ['HTTP://App.OnRender.COM', 'render'],
  ['https://app.onrender.com:8443/', 'render'],
  ['https://app.onrender.com./', 'render'],
  ['https://app.ｏｎｒｅｎｄｅｒ.com/', 'render'],
  ['https://bücher.onrender.com/', 'render'],
])('%s is at %s', (url, id) => {
  expect(hostOf(url)?.id).toBe(id)
})

test.each([
  'https://onrender.com/',
  'https://notonrender.com/',
  'https://app.notonrender.com/',
  'https://app.onrender.com.evil.example/',
  'https://evil.example/app.onrender.com',
  'https://evil.example/?app.onrender.com',
  'https://evil.example/#.onrender.com',
  'https://app.onrender.com@evil.example/',
  'https://app-onrender.com/',
  'https://app.onrender.co/',
  'https://app.onrendеr.com/',
  'https://.onrender.com/',
  'https://app..onrender.com/',
  'https://railway.app/',
  'https://app.railway.app/',
  'ftp://app.onrender.com/',
  'app.onrender.com',
  '',
])('%s is at no known host', (url) => {
  expect(hostOf(url)).toBeUndefined()
})

test('URLs that differ only in path, port or spelling of the host name are one app', () => {
  const urls = ['https://app.onrender.com/a', 'http://APP.onrender.com:81/b', 'https://app.onrender.com./?c']
  expect(new Set(urls.map(appOf))).toEqual(new Set(['app.onrender.com']))
})

test('"auto" is the interval that the host needs, and never longer than the default', () => {
  const every = (url: string, usual = minutes(28)) => intervalByHost({ url, interval: 'auto' }, usual) / minutes(1)
  expect(every('https://app.onrender.com')).toBe(13)
  expect(every('https://app.herokuapp.com')).toBe(28)
  expect(every('https://app.herokuapp.com', minutes(60))).toBe(28)
  expect(every('https://app.onrender.com', minutes(5))).toBe(5)
  expect(every('https://user-space.hf.space')).toBe(28)
  expect(every('https://app.up.railway.app')).toBe(28)
  expect(every('https://example.com')).toBe(28)
  expect(recommendedInterval(undefined, minutes(1.5))).toBe(minutes(1.5))
  expect(intervalByHost({ url: 'https://app.onrender.com', interval: 40 }, minutes(28))).toBe(minutes(40))
  expect(intervalByHost({ url: 'https://app.onrender.com', interval: null }, minutes(28))).toBe(minutes(28))
})

test("an app sleeps between pings whose interval is at least its host's idle limit", () => {
  const render = hostOf('https://app.onrender.com')!
  expect([14, 15, 28].map((interval) => sleepsBetween(render, minutes(interval)))).toEqual([false, true, true])
  expect(sleepsBetween(hostOf('https://app.fly.dev')!, minutes(10_080))).toBe(false)
})
