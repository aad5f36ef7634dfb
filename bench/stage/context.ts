import { variables } from '../../src/config.ts'
import { createContext } from '../../src/context.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { openDatabase } from '../../src/platform/db/configured.ts'
import { createLog } from '../../src/platform/log.ts'
import type { Resolve } from '../../src/platform/net/names.ts'

/** Creates a real server's context from this process's environment variables; `resolve` replaces name resolution. */
export function openContext(resolve?: Resolve) {
  const config = readConfig(variables, process.env, '/dev/null')
  const db = openDatabase(config)
  const context = createContext(config, {
    db,
    log: createLog(config.logLevel),
    clock: systemClock,
    ...(resolve && { resolve }),
  })
  return {
    context,
    async close() {
      await context.events.close()
      await context.outbound.close()
      await db.close()
    },
  }
}
