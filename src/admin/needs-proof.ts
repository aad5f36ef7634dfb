import type { Change } from '../people/audit/contract.ts'

export const proveIt = "Confirm that it's you to continue."

/** A raised role, and whatever changes who somebody is or how they sign in. */
export const needsProof = ({ field, from, to }: Change) =>
  field.startsWith('roles.') ? Number(to) > Number(from) : ['email', 'credUsername', 'providers'].includes(field)
