import { beforeEach, describe, expect, test } from 'vitest'
import { dialects } from '../../../test/databases.ts'
import { deliveryScene } from '../../../test/delivery-scene.ts'
import type { Relaybox } from '../../../test/relay.ts'
import { hours, seconds } from '../../shared/time.ts'

describe.each(dialects)('a clock that is set back on %s', (dialect) => {
  const { now, deliver, titles, said } = deliveryScene(dialect)
  let box: Relaybox
  beforeEach(() => {
    ;({ box } = now())
  })

  test('holds no event up, and puts none before an older one', async () => {
    for (let round = 0; round < 5; round += 1) {
      await deliver(9)
      box.pass(seconds(1))
      await box.work.runDue()
    }
    expect(said()).toHaveLength(45)
    await deliver(1)
    box.pass(-hours(1))
    await deliver(1)
    await box.work.runDue()
    box.pass(hours(1))
    await box.work.runDue()
    expect(said().slice(45)).toEqual(titles(46, 47))
    box.pass(-hours(1))
    await deliver(1)
    await box.work.runDue()
    expect(said().slice(45)).toEqual(titles(46, 47, 48))
  })
})
