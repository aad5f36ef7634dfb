import { refusedFields } from '../api.ts'
import type { Draft } from './draft.ts'

/** Puts what the server refused beside the fields. */
export const refuse = <Values extends object>(draft: Draft<Values>, error: unknown) =>
  draft.refuse(refusedFields(error))
