import { usualCosts as sealCosts } from '../../src/backups/sealed.ts'
import { cost } from '../../src/sign-in/passwords/password.ts'

/** What a password costs in earnest. */
const usual = { ...cost }
const cheap = { ...usual, log2N: 10 }

/** What a password or a backup's passphrase costs is tested where it is the subject; elsewhere a quarter of a second each would be most of the run. */
export function makePasswordsCheap() {
  Object.assign(cost, cheap)
  Object.assign(sealCosts, { n: 2 ** 10, p: 1 })
}
export const makePasswordsDear = () => void Object.assign(cost, usual)
