import { defaultCosts as sealCosts } from '../../src/backups/sealed.ts'
import { cost } from '../../src/sign-in/passwords/password.ts'

const usual = { ...cost }
const cheap = { ...usual, log2N: 10 }

/** Lowers the cost of hashing passwords and passphrases: at 0.25 s each, it would take most of the run's time. */
export function makePasswordsCheap() {
  Object.assign(cost, cheap)
  Object.assign(sealCosts, { n: 2 ** 10, p: 1 })
}
export const restorePasswordCost = () => void Object.assign(cost, usual)
