import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { startProcess } from '../../../../test/support/process.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'

describe('a whole process under load', () => {
  let folder: string
  let env: Record<string, string>
  beforeAll(() => {
    folder = temporaryFolder()
    env = { DATA_DIR: folder, APP_SECRET: 'a secret of at least thirty-two characters' }
  })

  const badge = (url: string, tag: string, method = 'GET') => fetch(`${url}/api/v1/analyticsbadge/${tag}`, { method })
  const numberOf = async (answer: Response) => {
    await answer.arrayBuffer()
    return Number(answer.headers.get('x-views'))
  }
  test('loses no view that was answered, and shows no number twice, over ten kills', async () => {
    const tags = ['a', 'b', 'c']
    const shown = new Map(tags.map((tag) => [tag, [] as number[]]))
    let port = ''
    for (let round = 0; round < 10; round += 1) {
      const server = await startProcess({ ...env, ...(port && { PORT: port }) })
      port = new URL(server.url).port
      for (const [tag, numbers] of shown)
        expect(await numberOf(await badge(server.url, tag, 'HEAD'))).toBeGreaterThanOrEqual(Math.max(0, ...numbers))
      const viewers = Array.from({ length: 30 }, async (_, viewer) => {
        const tag = tags[viewer % tags.length] ?? ''
        // Ends when the server does.
        for (;;) shown.get(tag)?.push(await numberOf(await badge(server.url, tag)))
      })
      const ended = Promise.allSettled(viewers)
      // Before, amid and after the first checkpoints.
      await pause(100 + 50 * round)
      await server.end('SIGKILL')
      await ended
    }
    const server = await startProcess(env)
    for (const [tag, numbers] of shown) {
      expect(await numberOf(await badge(server.url, tag, 'HEAD'))).toBeGreaterThanOrEqual(Math.max(...numbers))
      expect(numbers.length).toBeGreaterThan(10)
      expect(new Set(numbers).size).toBe(numbers.length)
    }
    await server.end('SIGTERM')
  }, 180_000)

  test('gives 200 viewers at once 50 views each: none lost, none shown twice', async () => {
    const server = await startProcess(env)
    const numbers: number[] = []
    const viewer = async () => {
      for (let view = 0; view < 50; view += 1) numbers.push(await numberOf(await badge(server.url, 'many')))
    }
    await Promise.all(Array.from({ length: 200 }, viewer))
    await server.end('SIGTERM')
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 10_000 }, (_, index) => index + 1))
  }, 60_000)
})
