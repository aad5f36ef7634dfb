import { seconds } from '../../../src/shared/time.ts'
import type { Outside, Toolbox } from '../toolbox.ts'

/** Operator's hosts that can be taken away: while they are, dead targets of two owners make the server believe it is offline. */
export function outage() {
  let isDown = false
  const probes: NonNullable<Exclude<Outside['probes'], 'real'>> = {
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
        await context.offline.judge({ ...turn, began: context.elapsed() })
      }
    },
    end() {
      isDown = false
    },
  }
}
