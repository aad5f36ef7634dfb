import { describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { closeAfterwards, toolbox } from '../../../test/support/toolbox.ts'
import { days } from '../../shared/time.ts'
import { badgePath } from './terms.ts'

describe.each(dialects)('the views of today on %s', async (dialect) => {
  const box = closeAfterwards(await toolbox(dialect))

  test('count all tags since midnight UTC, and require access to the tools', async () => {
    const ada = box.as(await box.createPerson('ada'))
    const view = (tag: string) => box.app.inject(`${badgePath}${tag}`)
    expect(await ada.get('/api/v1/badges/today')).toMatchObject({ status: 200, body: { views: 0 } })
    for (const tag of ['one', 'two', 'one']) expect((await view(tag)).statusCode).toBe(200)
    expect((await ada.get('/api/v1/badges/today')).body).toEqual({ views: 3 })
    box.pass(days(1))
    await view('two')
    expect((await ada.get('/api/v1/badges/today')).body).toEqual({ views: 1 })
    expect((await box.as(await box.createPerson('nobody', 0)).get('/api/v1/badges/today')).status).toBe(403)
  })
})
