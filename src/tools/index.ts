import { ghmdinvalidator } from './ghmdinvalidator/contract.ts'
import { keepalive } from './keepalive/contract.ts'

/** Every tool, by its contract: the place to register a new one. */
export const contracts = { keepalive, ghmdinvalidator }
export type Contracts = typeof contracts
