import { randomUUID } from 'node:crypto'
import { seconds } from '../../../../src/shared/time.ts'
import { payloadOf } from './example-events.ts'

export type DeployEvents = {
  buildPending: Payload
  buildSucceeded: Payload
  buildFailed: Payload
  releasePending: Payload
  releaseSucceeded: Payload
  releaseFailed: Payload
  /** The release is no longer the current one. */
  superseded: Payload
}
type Payload = Record<string, unknown>

/** The events of a new deploy whose build takes 3 min 12 s and whose release takes 42 s. */
export function deployEvents({ version = 42, began = Date.UTC(2026, 2, 14, 9, 20, 2) } = {}): DeployEvents {
  const [build, release, slug] = [randomUUID(), randomUUID(), randomUUID()]
  const commit = randomUUID().replaceAll('-', '').padEnd(40, '0')
  const at = (after: number) => new Date(began + seconds(after)).toISOString()
  const event = (example: string, [from, to]: [number, number], fields: object): Payload => {
    const payload = payloadOf(example)
    const times = { created_at: at(from), updated_at: at(to) }
    const envelope = { id: randomUUID(), ...times, published_at: at(to) }
    return { ...payload, ...envelope, data: { ...Object(payload.data), ...fields, ...times } }
  }
  const { source_blob: source } = Object(payloadOf('build-pending').data)
  const source_blob = { ...source, version: commit }
  const built = { id: build, source_blob, slug: { id: slug, commit, commit_description: '' } }
  const released = {
    id: release,
    version,
    description: `Deploy ${commit.slice(0, 8)}`,
    slug: { id: slug, commit, commit_description: '' },
  }
  return {
    buildPending: event('build-pending', [0, 0], { id: build, source_blob }),
    buildSucceeded: event('build-succeeded', [0, 192], { ...built, release: { id: release, version } }),
    buildFailed: event('build-failed', [0, 30], { id: build, source_blob }),
    releasePending: event('release-pending', [193, 193], { ...released, current: false }),
    releaseSucceeded: event('release-succeeded', [193, 235], { ...released, current: true }),
    releaseFailed: event('release-failed', [193, 235], { ...released, current: false }),
    superseded: event('release-succeeded', [193, 9_000], { ...released, current: false }),
  }
}
