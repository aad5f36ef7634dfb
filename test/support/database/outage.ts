import { seconds } from '../../../src/shared/time.ts'
import type { Overrides, Toolbox } from '../toolbox.ts'

/** Fake probe hosts. `begin` makes them unreachable, so that dead targets of two owners put the server offline. */
export function outage() {
  let isDown = false
  const probes: NonNullable<Exclude<Overrides['probes'], 'real'>> = {
    request: async (url) =>
      isDown
        ? { answered: false, failure: 'connect', note: 'connect: unreachable', duration: 1 }
        : { answered: true, status: 204, headers: {}, body: new Uint8Array(), url, duration: 1 },
  }
  return {
    probes,
    async begin({ context, pass }: Pick<Toolbox, 'context' | 'pass'>) {
      isDown = true
      pass(seconds(10))
      for (const ownerId of ['one', 'another']) {
        const turn = { id: `turn:${ownerId}`, ownerId, target: `${ownerId}.example`, first: false }
        await context.offline.postpone(turn)
        await context.offline.postponeSilent({ ...turn, began: context.elapsed() })
      }
    },
    end() {
      isDown = false
    },
  }
}
