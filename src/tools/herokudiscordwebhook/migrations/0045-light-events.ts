import type { Migration } from 'kysely/migration'
import { countTogether } from '../../../platform/db/migrations/kept-sums.ts'
import { runAll, type Schema } from '../../../platform/db/migrations/schema.ts'
import { relayVolumes } from './0020-relay-volume.ts'

/** Events that are added together are counted together. */
export const lightEvents = (schema: Schema): Migration => runAll(countTogether(schema, relayVolumes))
