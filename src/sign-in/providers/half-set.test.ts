import { pino } from 'pino'
import { expect, test } from 'vitest'
import { toolbox } from '../../../test/support/toolbox.ts'

test('a provider with only some of its variables set is not offered, and a warning is logged', async () => {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) })
  const box = await toolbox('sqlite', { DISCORD_CLIENT_ID: '1' }, undefined, { log })
  expect((await box.app.inject('/api/v1/auth/providers')).json()).toEqual([])
  expect(lines.filter((line) => line.includes('DISCORD_CLIENT_SECRET'))).toHaveLength(1)
  await box.close()
})
