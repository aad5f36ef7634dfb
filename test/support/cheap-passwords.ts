import { cost } from '../../src/accounts/credentials/passwords/password-cost.ts'

/** What a password costs in earnest. */
const usual = { ...cost }
const cheap = { ...usual, log2N: 10 }

/** What a password costs is tested where it is the subject; elsewhere a quarter of a second each would be most of the run. */
export const makePasswordsCheap = () => void Object.assign(cost, cheap)
export const makePasswordsDear = () => void Object.assign(cost, usual)
