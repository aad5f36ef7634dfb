import { expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { closeAfterwards, toolbox } from '../../test/support/toolbox.ts'
import { hours, minutes } from '../shared/time.ts'
import { createBackups } from './backups.ts'
import { listBackups } from './folder.ts'
import { createScheduleCheck } from './schedule.ts'
import { readState, writeState } from './state.ts'

const folder = temporaryFolder()
const box = closeAfterwards(await toolbox('sqlite', { BACKUP_DIR: folder, BACKUP_KEEP: '9h' }))

test('makes a backup immediately if there is none, and then once a day', async () => {
  const look = createScheduleCheck(box.context, createBackups(box.context))
  const counts: number[] = []
  for (const pause of [0, hours(23), hours(1), hours(1)]) {
    box.pass(pause)
    await look()
    counts.push((await listBackups(folder)).length)
  }
  expect(counts).toEqual([1, 1, 2, 2])
})

test('retries a failed backup after half an hour, and reports backups as overdue while one is stuck', async () => {
  const refused = createBackups(box.context, async () => 0)
  const make = vi.fn(refused.make)
  const tellOverdue = vi.fn(refused.notifyOverdue)
  box.pass(hours(24))
  const look = createScheduleCheck(box.context, { make, notifyOverdue: tellOverdue })
  const counts: number[] = []
  for (const pause of [0, minutes(29), minutes(1)]) {
    box.pass(pause)
    await look()
    counts.push(make.mock.calls.length)
  }
  expect([counts, tellOverdue.mock.calls.length]).toEqual([[1, 1, 2], 0])
  box.pass(hours(49))
  const claim = { by: 'somebody who is stuck', until: box.now() + minutes(1) }
  await writeState(box.db.q, { ...(await readState(box.db.q)), claim })
  await look()
  expect([make.mock.calls.length, tellOverdue.mock.calls.length]).toEqual([2, 1])
})
