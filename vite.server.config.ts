import { relative } from 'node:path'
import { defineConfig, type Plugin } from 'vite'

const outDir = 'dist-server'

/** Files that the server reads are named from the places of its sources; threads are built beside it. */
const ownPlaces: Plugin = {
  name: 'own-places',
  transform: {
    filter: { id: /[\\/]src[\\/].*\.ts$/, code: 'import.meta.url' },
    handler(code, id) {
      const place = `new URL('${relative(outDir, id).replaceAll('\\', '/')}', import.meta.url).href`
      return code.replaceAll(/new URL\("\.\/([\w-]+)\.ts", import\.meta\.url\)|import\.meta\.url/g, (_, thread) =>
        thread ? `new URL("./${thread}.js", import.meta.url)` : place,
      )
    },
  },
}

/** A tool names its pages, which only browsers load. */
const withoutPages: Plugin = {
  name: 'without-pages',
  enforce: 'pre',
  resolveId: { filter: { id: /^\.\/pages\// }, handler: (id) => ({ id, external: true }) },
}

/** What costs memory in the files as they are written. */
const lean: Plugin = {
  name: 'lean',
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle)) if (file.type === 'chunk') file.code = inAscii(withoutFetch(file.code))
  },
}

/** As a module, `node:http` has its `WebSocket`, too, for which Node would load all of `fetch`. */
const withoutFetch = (code: string) =>
  code.replaceAll(
    /^import \{(.*)\} from "node:http";$/gm,
    (_, names: string) => `const {${names.replaceAll(' as ', ': ')}} = process.getBuiltinModule("node:http");`,
  )

/** V8 keeps a text of two bytes a letter as soon as one of its letters needs them. */
const inAscii = (code: string) =>
  code.replaceAll(/[\u0080-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The server in one file, beside what it loads only when asked: so it starts in half the time and memory of its thousand modules. */
export default defineConfig({
  plugins: [ownPlaces, withoutPages, lean],
  publicDir: false,
  ssr: {
    noExternal: true,
    external: ['vite', 'pino', 'light-my-request', '@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler'],
  },
  build: {
    ssr: true,
    outDir,
    target: 'node24',
    minify: false,
    rolldownOptions: {
      input: ['src/main.ts', 'src/platform/db/sqlite/worker.ts', 'src/platform/db/sqlite/backup-thread.ts'],
      output: { chunkFileNames: '[name]-[hash].js', comments: false },
    },
  },
})
