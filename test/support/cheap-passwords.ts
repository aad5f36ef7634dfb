import { vi } from 'vitest'

// What a password costs is tested where it is the subject; elsewhere a quarter of a second each would be most of the run.
vi.mock('../../src/accounts/credentials/password-cost.ts', () => ({ cost: { log2N: 10, r: 8, p: 1 } }))
