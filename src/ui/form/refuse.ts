import { reason, refusedFields } from '../data/api.ts'
import type { Draft } from './draft.ts'

/** Puts what the server refused beside the fields; the toast that says the same goes with the next edit. */
export const refuse = <Values extends object>(draft: Draft<Values>, error: unknown) =>
  draft.refuse(refusedFields(error), reason(error))
