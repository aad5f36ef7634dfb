import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { compression } from 'vite-plugin-compression2'

/** Parts of the page are fetched by `src/ui/navigation/part.ts`, which says why. */
const fetchedParts: Plugin = {
  name: 'fetched-parts',
  enforce: 'pre',
  apply: 'build',
  resolveId: (id) => (id === '\0vite/preload-helper.js' ? `${import.meta.dirname}/src/ui/navigation/part.ts` : null),
}

/** Lays a `.br` and a `.gz` beside every text file, where they are smaller; the server sends those. */
const compressed = compression({
  algorithms: ['brotliCompress', 'gzip'],
  include: /\.(?:html|js|css|svg|json|txt|webmanifest|map)$/,
  threshold: 0,
  skipIfLargerOrEqual: true,
  logLevel: 'silent',
})

/** In the browser a tool is its pages, which the first screen needs at once; the server's half is not there. */
const toolPages: Plugin = {
  name: 'tool-pages',
  enforce: 'pre',
  transform: {
    filter: { id: /\/tools\/[^/]+\/tool\.ts$/ },
    handler: (code) => {
      const pages = /import\('(\.\/pages\/[^']+)'[^)]*\)/
      return `import * as firstPages from '${pages.exec(code)?.[1]}'\n${code
        .replace(pages, 'Promise.resolve(firstPages)')
        .replace(/import\('\.\/server\.ts'[^)]*\)/, 'Promise.reject()')}`
    },
  },
}

export default defineConfig({
  plugins: [react(), fetchedParts, toolPages, compressed],
  // React has had this hook itself for long; the stand-in for older ones stays out of the first screen.
  resolve: {
    alias: { 'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector' },
  },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: true,
    target: 'es2023',
    modulePreload: {
      polyfill: false,
      // By itself Vite leaves out a file that needs no other.
      resolveDependencies: (file, files, { hostType }) => (hostType === 'js' ? [...new Set([file, ...files])] : files),
    },
    // The content security policy allows no data: fonts and styles, so nothing is inlined.
    assetsInlineLimit: 0,
    // What the first screen needs is one file, however many screens share parts of it.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } } },
  },
})
