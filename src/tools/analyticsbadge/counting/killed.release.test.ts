import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ServerDatabase, serverDatabase } from '../../../../test/support/database/server-database.ts'
import { type Process, startProcess } from '../../../../test/support/process.ts'

describe('a server process under load', () => {
  let database: ServerDatabase
  let server: Process
  beforeAll(async () => {
    database = await serverDatabase('sqlite')
    server = await startProcess(database.env)
  })
  afterAll(async () => {
    await server.end('SIGTERM')
    await database.drop()
  })

  const badge = (tag: string, method = 'GET') => fetch(`${server.url}/api/v1/analyticsbadge/${tag}`, { method })
  const numberOf = async (answer: Response) => {
    await answer.arrayBuffer()
    return Number(answer.headers.get('x-views'))
  }
  test('loses no answered view and shows no number twice across four kills', async () => {
    const numbersByTag = new Map(['a', 'b', 'c'].map((tag) => [tag, [] as number[]]))
    for (let round = 0; round < 4; round += 1) {
      const viewers = [...numbersByTag].flatMap(([tag, numbers]) =>
        Array.from({ length: 10 }, async () => {
          // Ends when the server is killed.
          for (;;) numbers.push(await numberOf(await badge(tag)))
        }),
      )
      const ended = Promise.allSettled(viewers)
      const seen = () => Math.min(...[...numbersByTag.values()].map((numbers) => numbers.length))
      const before = seen()
      await expect.poll(seen, { interval: 1 }).toBeGreaterThan(before + 10 + 30 * round)
      await server.end('SIGKILL')
      await ended
      server = await startProcess({ ...database.env, PORT: new URL(server.url).port })
      for (const [tag, numbers] of numbersByTag)
        expect(await numberOf(await badge(tag, 'HEAD'))).toBeGreaterThanOrEqual(Math.max(...numbers))
    }
    for (const numbers of numbersByTag.values()) {
      expect(numbers.length).toBeGreaterThan(10)
      expect(new Set(numbers).size).toBe(numbers.length)
    }
  })

  test('gives 200 concurrent viewers 10 views each without losing or repeating a number', async () => {
    const numbers: number[] = []
    const viewer = async () => {
      for (let view = 0; view < 10; view += 1) numbers.push(await numberOf(await badge('many')))
    }
    await Promise.all(Array.from({ length: 200 }, viewer))
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 2_000 }, (_, index) => index + 1))
  })
})
