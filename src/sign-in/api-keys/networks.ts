import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { type AuditRecord, waitForAudit, writeAudit } from '../../people/audit/log.ts'
import type { Queries } from '../../platform/db/open.ts'
import { deleteInBatches } from '../../platform/db/rows/delete-in-batches.ts'
import { nameOfCaller, originOf } from '../../platform/http/access/actor.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { networksOf } from '../../platform/net/networks.ts'
import { days, type Instant, type Milliseconds } from '../../shared/time.ts'
import type { Auth, AuthContext } from '../auth.ts'

const mostRemembered = 10_000
/** How many new networks of a key are logged within a day: its owner may have thousands. */
const mostADay = 50
const keptFor: Milliseconds = days(400)

/** Logs the first use of each API key from each network, without delaying the request. */
export function watchNetworks({ db, now }: AuthContext, { background }: Pick<Auth, 'background'>) {
  const known = new Set<string>()

  async function remember(caller: Caller & { via: { kind: 'key' } }, request: FastifyRequest, network: string) {
    const at = now()
    const { keyId, name } = caller.via
    await db.q.transaction().execute(async (tx) => {
      const networks = tx.selectFrom('api_key_network').where('key_id', '=', keyId)
      const { today } = await networks
        .select((eb) => eb.fn.countAll<number>().as('today'))
        .where('at', '>', at - days(1))
        .executeTakeFirstOrThrow()
      const actor = { id: caller.user.id, name: nameOfCaller(caller), ...originOf(request) }
      const changes = [{ field: 'network', from: null, to: network }]
      const used: AuditRecord = { actor, action: 'key.use', target: { id: keyId, name }, changes }
      // No request is refused for where it comes from.
      if (today >= mostADay || (await waitForAudit(tx, at, used)) > 0) return
      const { numInsertedOrUpdatedRows } = await tx
        .insertInto('api_key_network')
        .values({ key_id: keyId, network, at })
        .onConflict((on) => on.doNothing())
        .executeTakeFirst()
      if (!numInsertedOrUpdatedRows) return
      await writeAudit(tx, at, used)
    })
    if (known.size >= mostRemembered) known.clear()
    known.add(`${keyId} ${network}`)
  }

  return (caller: Caller, request: FastifyRequest): void => {
    const { via } = caller
    if (via.kind !== 'key') return
    const network = networksOf(request.ip).at(-1) ?? request.ip
    const key = `${via.keyId} ${network}`
    if (known.has(key)) return
    background.once(`recording the network of API key ${key}`, () => remember({ ...caller, via }, request, network))
  }
}

/** Forgets networks that were first used longer ago than the audit log reaches. */
export const deleteOldNetworks = (q: Queries, now: Instant): Promise<void> =>
  deleteInBatches(q, 'api_key_network', { key: ['key_id', 'network'], where: sql`at < ${now - keptFor}` })
