import { analyticsbadge } from './analyticsbadge/contract.ts'
import { ghmdinvalidator } from './ghmdinvalidator/contract.ts'
import { herokudiscordwebhook } from './herokudiscordwebhook/contract.ts'
import { keepalive } from './keepalive/contract.ts'

/** Every tool, by its contract, as menus list them: the place to register a new one. */
export const contracts = { analyticsbadge, keepalive, herokudiscordwebhook, ghmdinvalidator }
export type Contracts = typeof contracts
