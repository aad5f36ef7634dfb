import { registerHooks } from 'node:module'

// Makes password hashing cheap in a server process, as set-up.ts does in the test process.
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    if (!/\/(?:passwords\/password\.ts|dist-server\/main\.js)$/.test(url)) return loaded
    const source = String(loaded.source)
    if (!source.includes('log2N: 17')) throw new Error(`${url} does not say what a password costs.`)
    return { ...loaded, source: source.replace('log2N: 17', 'log2N: 10') }
  },
})
