import { registerHooks } from 'node:module'

// For a whole process, as set-up.ts does it for the tests themselves.
const source = 'export const cost = { log2N: 10, r: 8, p: 1 }'
registerHooks({
  load: (url, context, next) =>
    url.endsWith('/src/accounts/credentials/passwords/password-cost.ts')
      ? { format: 'module', source, shortCircuit: true }
      : next(url, context),
})
