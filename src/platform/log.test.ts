import { closeSync, openSync } from 'node:fs'
import { type Logger, pino } from 'pino'
import { expect, test } from 'vitest'
import { logOptions, writeLine } from './log.ts'

function logged(write: (log: Logger) => void) {
  const lines: string[] = []
  write(pino(logOptions(), { write: (line: string) => lines.push(line) }))
  return lines.map((line) => JSON.parse(line))
}

test('a log line keeps its fields and message but hides their secrets', () => {
  const [line] = logged((log) =>
    log.warn({ url: '/hooks/heroku/abcdef', token: 'abc', count: 2 }, 'sent %s to %s', 'Bearer abcdef0123', 'us'),
  )
  expect(line).toMatchObject({
    url: '/hooks/heroku/[hidden]',
    token: '[hidden]',
    count: 2,
    msg: 'sent Bearer [hidden] to us',
  })
})

test('a logged error keeps its type and stack, with or without a message', () => {
  const lines = logged((log) => {
    log.error({ err: new TypeError('password=hunter2') }, 'failed')
    log.error(new TypeError('password=hunter2'))
  })
  for (const { err } of lines)
    expect(err).toMatchObject({
      type: 'TypeError',
      message: 'password=[hidden]',
      stack: expect.stringContaining('log.test'),
    })
  expect(lines.map(({ msg }) => msg)).toEqual(['failed', 'password=[hidden]'])
})

test('a repeated error is logged once, then once more with the number of repetitions', async () => {
  const lines: { msg: string; err: { message: string }; leftOut?: number; url?: string }[] = []
  const log = pino(logOptions(40), { write: (line: string) => lines.push(JSON.parse(line)) })
  const fail = (message: string, url: string) => log.error({ err: new Error(message), url }, 'request failed')
  for (let count = 0; count < 1_000; count += 1) fail('full', `/${count}`)
  log.child({ part: 'worker' }).error({ err: new Error('full') }, 'request failed')
  fail('another', '/')
  log.info('request failed')
  expect(lines.map(({ msg, err, leftOut }) => [msg, err?.message, leftOut])).toEqual([
    ['request failed', 'full', undefined],
    ['request failed', 'another', undefined],
    ['request failed', undefined, undefined],
  ])
  await expect.poll(() => lines.length).toBe(4)
  expect(lines[3]).toMatchObject({ err: { message: 'full' }, leftOut: 1_000 })
  await expect
    .poll(() => {
      fail('full', '/')
      return lines.length
    })
    .toBeGreaterThan(4)
})

test('a line that cannot be written is dropped without an error', () => {
  const full = openSync('/dev/full', 'w')
  writeLine(full, 'a line\n')
  closeSync(full)
  writeLine(full, 'a line to nowhere\n')
})
