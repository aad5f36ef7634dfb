import { type Logger, pino } from 'pino'
import { expect, test } from 'vitest'
import { options } from './log.ts'

function logged(write: (log: Logger) => void) {
  const lines: string[] = []
  write(pino(options, { write: (line: string) => lines.push(line) }))
  return lines.map((line) => JSON.parse(line))
}

test('a line carries its fields and its words without the secrets in them', () => {
  const [line] = logged((log) =>
    log.warn({ url: '/hooks/heroku/abcdef', token: 'abc', count: 2 }, 'sent %s to %s', 'Bearer abcdefghij', 'us'),
  )
  expect(line).toMatchObject({
    url: '/hooks/heroku/[hidden]',
    token: '[hidden]',
    count: 2,
    msg: 'sent Bearer [hidden] to us',
  })
})

test('an error keeps its kind and place, also when it is all there is to say', () => {
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
